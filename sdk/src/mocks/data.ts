import type {
  BankDetails,
  CountryTaxRate,
  CustomerAddressInput,
  DiscountInput,
  ProductInput,
  ShippingOptionInput,
} from '@commerce-backend/spec';

/** A product as the dashboard accepts it, with its slug. Its status is active by default. */
export type MockProduct = ProductInput & { slug: string };

export interface MockCollection {
  handle: string;
  title: string;
  description?: string | null;
  image_url?: string | null;
  /** The products of the collection, in order. */
  product_slugs: string[];
}

export interface MockCustomer {
  email: string;
  password: string;
  first_name?: string;
  last_name?: string;
  /** The default address. */
  address?: CustomerAddressInput;
}

/** The initial data of a mock shop. Amounts are decimal strings, as everywhere in the contract. */
export interface MockShopData {
  name: string;
  /** An ISO 4217 code. */
  currency: string;
  prices_include_tax: boolean;
  /** 0.19 is 19 %. */
  default_tax_rate: string;
  tax_rates: CountryTaxRate[];
  /** Shipping is taxed at the rates of the goods, or at the standard rate. */
  shipping_tax: 'goods' | 'class';
  /** The account for bank transfers. */
  bank_details: BankDetails;
  payment_deadline_hours: number;
  /** The maximum budget of an agent, in the currency's minor unit. */
  max_budget_cents: number;
  products: MockProduct[];
  collections: MockCollection[];
  discounts: DiscountInput[];
  shipping_options: ShippingOptionInput[];
  customers: MockCustomer[];
}

const MUG_COLOURS = ['Oat', 'Slate', 'Moss'];

/** A small shop: prices include 19 % tax, and it accepts bank transfers. */
export const DEFAULT_DATA: MockShopData = {
  name: 'Alder & Finch',
  currency: 'EUR',
  prices_include_tax: true,
  default_tax_rate: '0.19',
  tax_rates: [],
  shipping_tax: 'goods',
  bank_details: { account_holder: 'Alder & Finch (mock shop)', iban: 'DE89370400440532013000' },
  payment_deadline_hours: 168,
  max_budget_cents: 100_000,
  products: [
    {
      slug: 'stoneware-mug',
      name: 'Stoneware Mug',
      description: 'Thrown by hand, glazed inside, and warm for longer than the coffee lasts.',
      vendor: 'Rowan Pottery',
      product_type: 'Tableware',
      tags: ['mug', 'stoneware', 'gift'],
      price: '18.50',
      options: [{ name: 'Colour', values: MUG_COLOURS }],
      variants: MUG_COLOURS.map((option1, i) => ({
        option1,
        sku: `MUG-${option1.toUpperCase()}`,
        inventory_quantity: [24, 3, 0][i] ?? 0,
        weight: '0.4',
      })),
    },
    {
      slug: 'linen-tea-towel',
      name: 'Linen Tea Towel',
      description: 'Heavy linen that dries glasses without a trace, and softens with every wash.',
      vendor: 'Wren Textiles',
      product_type: 'Textiles',
      tags: ['linen', 'kitchen', 'gift'],
      price: '12.00',
      sku: 'TOWEL',
      inventory_quantity: 40,
      weight: '0.2',
    },
    {
      slug: 'oak-table-lamp',
      name: 'Oak Table Lamp',
      description: 'A turned oak base, a linen shade, and a switch that can be found in the dark.',
      vendor: 'Alder & Finch',
      product_type: 'Lamps',
      tags: ['lamp', 'oak', 'sale'],
      price: '79.00',
      compare_at_price: '98.00',
      sku: 'LAMP-OAK',
      inventory_quantity: 5,
      weight: '2.1',
    },
    {
      slug: 'letterpress-card',
      name: 'Letterpress Card',
      description: 'Printed by hand on cotton paper, with an envelope.',
      vendor: 'Paper Wren',
      product_type: 'Stationery',
      tags: ['paper', 'gift'],
      price: '4.50',
      sku: 'CARD',
      track_inventory: false,
      weight: '0.03',
    },
  ],
  collections: [
    {
      handle: 'kitchen',
      title: 'Kitchen & Table',
      description: 'For the room where everybody ends up.',
      product_slugs: ['stoneware-mug', 'linen-tea-towel'],
    },
    { handle: 'light', title: 'Light', product_slugs: ['oak-table-lamp'] },
  ],
  discounts: [
    { code: 'WELCOME10', kind: 'percentage', value: '10' },
    { code: 'FIVEOFF', kind: 'fixed_amount', value: '5.00', minimum_subtotal: '40.00' },
    { code: 'FREESHIP', kind: 'free_shipping' },
    { code: 'SUMMER24', kind: 'percentage', value: '25', ends_at: '2024-08-31T22:00:00Z' },
  ],
  shipping_options: [
    {
      ...{ name: 'Standard', description: 'Two to four working days.', price: '4.90', countries: ['DE', 'AT'] },
      ...{ estimated_days_min: 2, estimated_days_max: 4 },
    },
    { name: 'Express', price: '12.90', countries: ['DE'] },
    { name: 'Pick up in the workshop', price: '0', kind: 'pickup' },
  ],
  customers: [
    {
      ...{ email: 'june@mail.example', password: 'correct horse', first_name: 'June', last_name: 'Okafor' },
      address: {
        ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
        ...{ postal_code: '10115', country: 'DE', is_default: true },
      },
    },
  ],
};
