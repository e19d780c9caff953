import type { DiscountInput, SettingsPatch, ShippingOptionInput } from '@commerce-backend/spec';

/** The demo shop's settings: prices include VAT, by default 19 %, and customers can pay by bank transfer. */
export const demoSettings: SettingsPatch = {
  prices_include_tax: true,
  default_tax_rate: '0.19',
  tax_rates: [
    { country: 'DE', rate: '0.19' },
    { country: 'DE', class: 'reduced', rate: '0.07' },
    { country: 'AT', rate: '0.2' },
    { country: 'AT', class: 'reduced', rate: '0.1' },
    { country: 'US', rate: '0' },
    { country: 'US', state: 'CA', rate: '0.0725' },
    { country: 'US', state: 'NY', rate: '0.04' },
  ],
  bank_details: {
    account_holder: 'Alder & Finch (demo shop)',
    // A commonly used example IBAN with valid check digits. It belongs to no account.
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    bank_name: 'Bank of the demo shop',
    instructions: 'This is a demo shop: please transfer nothing.',
  },
  invoicing: {
    issue: 'by_hand',
    ...{ legal_name: 'Alder & Finch (demo shop)', address1: 'Erlenweg 3', postal_code: '04177', city: 'Leipzig' },
    // A number with a valid format that no business has.
    ...{ country: 'DE', vat_id: 'DE123456789' },
  },
  payment_deadline_hours: 168,
  default_locale: 'en',
  time_zone: 'Europe/Berlin',
  return_policy: { enabled: true, window_days: 30, return_address: 'Alder & Finch, Erlenweg 3, 04107 Leipzig' },
  brand: { accent_color: '#2f5d50', support_email: 'help@alder-finch.example', support_phone: '+49 30 1234567' },
};

const NEIGHBOURS = ['DE', 'AT', 'BE', 'FR', 'LU', 'NL'];

export const STANDARD = 'Standard';
export const EXPRESS = 'Express';
export const PICKUP = 'Pick up in the workshop';

/** The demo shop's shipping options, in display order. */
export const demoShippingOptions: ShippingOptionInput[] = [
  {
    ...{ name: STANDARD, description: 'Two to four working days.', price: '4.90', countries: NEIGHBOURS },
    ...{ estimated_days_min: 2, estimated_days_max: 4 },
  },
  { name: EXPRESS, description: 'Tomorrow, if you order before noon.', price: '12.90', countries: ['DE', 'AT'] },
  { name: PICKUP, description: 'Erlenweg 3, Leipzig. Pay there.', price: '0', kind: 'pickup' },
];

/** The demo shop's discount codes: three that can be used, one that is used up, and one that has expired. */
export const demoDiscounts: DiscountInput[] = [
  {
    ...{ code: 'WELCOME10', kind: 'percentage', value: '10', usage_limit_per_customer: 1 },
    description: '10 % off, once per customer.',
  },
  { code: 'FREESHIP', kind: 'free_shipping', description: 'Free shipping with every shipping option.' },
  {
    code: 'FIVEOFF',
    kind: 'fixed_amount',
    value: '5.00',
    minimum_subtotal: '40.00',
    description: '5.00 off from 40.00.',
  },
  { code: 'ONTHEHOUSE', kind: 'percentage', value: '100', usage_limit: 1, description: 'A present, used up by now.' },
  {
    code: 'SUMMER26',
    kind: 'percentage',
    value: '25',
    ends_at: '2026-08-31T22:00:00Z',
    description: 'The summer sale.',
  },
];
