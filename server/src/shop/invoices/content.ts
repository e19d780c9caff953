import type { Address, DocumentKind, OrderDetails } from '@commerce-backend/spec';
import type { Seller } from '../merchant/invoicing.ts';
import { EU_COUNTRIES } from '../merchant/usual-taxes.ts';
import { currencyDigits, decimal, minorUnits } from '../money.ts';
import { type ByRate, type Part, type Share, totalOf } from './amounts.ts';

/**
 * The subject of a document line. A `rest` is the difference between the price of the pieces and the charged or
 * credited amount.
 */
export type LineKind = 'item' | 'shipping' | 'rest';

export interface DocumentLine {
  kind: LineKind;
  line_item_id: string | null;
  /** The name of the product; null for shipping and a rest, whose names depend on the language. */
  name: string | null;
  variant: string | null;
  sku: string | null;
  quantity: number;
  /** The price of one piece as it was displayed; null except for products. */
  price: string | null;
  rate: string;
  net: string;
  tax: string;
  /** With tax. Negative for a rest that lowers the total. */
  total: string;
}

/** The category of a rate by EN 16931: standard, zero, exempt, or export outside the EU. */
export type TaxCategory = 'S' | 'Z' | 'E' | 'G';

export interface TaxOfRate {
  rate: string;
  category: TaxCategory;
  net: string;
  tax: string;
}

export interface ConvertedTax {
  currency: string;
  /** Units of this currency for one unit of the document's currency, as a decimal string. */
  rate: string;
  source: string;
  tax: string;
}

/** The frozen content of a document, from which its files are rendered. */
export interface DocumentContent {
  kind: DocumentKind;
  number: string;
  /** A day in the shop's time zone, like all days of this content. */
  issued_on: string;
  invoice: { number: string; issued_on: string } | null;
  supply_date: string | null;
  order: { number: string; date: string };
  seller: Seller;
  buyer: Address & { email: string | null };
  /** The country whose tax applies. */
  country: string;
  currency: string;
  prices_include_tax: boolean;
  payment_method: OrderDetails['payment_method'];
  /** The day until which the invoice of an order on payment terms must be paid. */
  due_on: string | null;
  lines: DocumentLine[];
  taxes: TaxOfRate[];
  net: string;
  tax: string;
  /** The tax in the currency in which the seller declares VAT; absent if that is the currency of the document. */
  converted_tax?: ConvertedTax;
  total: string;
  /** The amount that was paid when the invoice was issued; 0 on a credit note. */
  paid: string;
}

/**
 * Returns the lines of an order and its shipping cost at each rate; undefined if they do not add up to the total,
 * because a tax rate is unknown.
 */
export function partsOf(order: OrderDetails, digits: number): Part[] | undefined {
  const pending = order.refunds.filter(({ status }) => status === 'pending').flatMap(({ line_items }) => line_items);
  const listed = order.tax_lines.flatMap(({ rate, parts }) => parts.map((part) => ({ rate, ...part })));
  const shipped = listed.filter(({ line_item_id }) => line_item_id === null);
  const gross = ({ taxable_amount, tax }: (typeof listed)[number]) =>
    minorUnits(taxable_amount, digits) + (order.tax_included ? 0 : minorUnits(tax, digits));
  const shipping = shipped.reduce((sum, part) => sum + gross(part), 0);
  const parts = listed.map((part): Part => {
    const amounts = { line_item_id: part.line_item_id, rate: part.rate, gross: gross(part) };
    const tax = minorUnits(part.tax, digits);
    if (part.line_item_id === null) {
      // Shipping is refunded by amount, so a piece of it is one minor unit.
      return { ...amounts, tax, quantity: Math.max(1, shipping), refunded: shippingRefunded(order, shipping, digits) };
    }
    const quantity = order.line_items.find(({ id }) => id === part.line_item_id)?.quantity ?? 1;
    return { ...amounts, tax, quantity, refunded: refundedPieces(order, part.line_item_id, quantity, pending) };
  });
  const isWhole = totalOf(parts).gross === minorUnits(order.total, digits);
  return isWhole ? parts : undefined;
}

function refundedPieces(
  order: OrderDetails,
  id: string,
  quantity: number,
  pending: { line_item_id: string; quantity: number }[],
): number {
  if (order.status === 'cancelled') return quantity;
  const refunded = order.line_states.find(({ line_item_id }) => line_item_id === id)?.refunded ?? 0;
  return pending.reduce((sum, item) => sum - (item.line_item_id === id ? item.quantity : 0), refunded);
}

function shippingRefunded(order: OrderDetails, shipping: number, digits: number): number {
  if (order.status === 'cancelled') return shipping;
  return order.refunds
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, refund) => sum + minorUnits(refund.shipping, digits), 0);
}

/** Returns the lines of a document, with amounts as decimal strings. */
export function describe(order: OrderDetails, shares: Share[], digits: number): DocumentLine[] {
  return shares.map(({ part, rate, quantity, gross, tax }) => {
    const item = order.line_items.find(({ id }) => id === part?.line_item_id);
    const kind: LineKind = part === null ? 'rest' : item ? 'item' : 'shipping';
    return {
      kind,
      line_item_id: part?.line_item_id ?? null,
      name: item?.name ?? null,
      variant: item?.variant_name ?? null,
      sku: item?.sku ?? null,
      quantity,
      price: item?.price ?? null,
      rate,
      net: decimal(gross - tax, digits),
      tax: decimal(tax, digits),
      total: decimal(gross, digits),
    };
  });
}

/**
 * Returns the country whose tax applies to an order: the country of the delivery, otherwise of the buyer, otherwise of
 * the seller.
 */
export function countryOf({ shipping_address, billing_address }: OrderDetails, seller: Seller): string {
  const named = [shipping_address?.country, billing_address?.country].find((code) => code && /^[A-Z]{2}$/.test(code));
  return named ?? seller.country;
}

export function taxesOf(amounts: ByRate, seller: Seller, country: string, digits: number): TaxOfRate[] {
  return [...amounts].map(([rate, { gross, tax }]) => ({
    rate,
    category: categoryOf(rate, seller, country),
    net: decimal(gross - tax, digits),
    tax: decimal(tax, digits),
  }));
}

function categoryOf(rate: string, seller: Seller, country: string): TaxCategory {
  if (Number(rate) > 0) return 'S';
  if (seller.small_business_note !== null) return 'E';
  const isExport = EU_COUNTRIES.includes(seller.country) && !EU_COUNTRIES.includes(country);
  return isExport && seller.vat_id !== null ? 'G' : 'Z';
}

/** An exchange rate has at most 8 decimals. */
const RATE_UNIT = 10n ** 8n;

/** Converts a tax, rounded half away from zero to the decimals of the other currency. */
export function convertTax(
  tax: string,
  digits: number,
  { currency, rate, source }: Omit<ConvertedTax, 'tax'>,
): ConvertedTax {
  const [whole = '0', fraction = ''] = rate.split('.');
  const units = BigInt(whole + fraction.padEnd(8, '0'));
  const to = currencyDigits(currency);
  const scaled = BigInt(minorUnits(tax, digits)) * units * 10n ** BigInt(to);
  const divisor = RATE_UNIT * 10n ** BigInt(digits);
  const half = scaled < 0n ? -divisor / 2n : divisor / 2n;
  return { currency, rate, source, tax: decimal(Number((scaled + half) / divisor), to) };
}
