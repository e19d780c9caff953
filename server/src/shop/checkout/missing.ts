import type { Address, OrderSource, PaymentMethod, ShippingChoice } from '@commerce-backend/spec';
import { hasPostalCode, isPhone } from '../address-rules.ts';
import { isEmail } from '../emails.ts';

/** Fields that a checkout needs before it can be completed. */

interface Wanted {
  row: {
    source: OrderSource;
    email: string | null;
    phone: string | null;
    shipping_address: Address | null;
  };
  requires_shipping: boolean;
  shipping_option: ShippingChoice | null;
  payment_method: PaymentMethod | null;
}

const ADDRESS_FIELDS = ['last_name', 'address1', 'city', 'country'] as const;

/** The fields that are empty or invalid for the country. Data from an integration is accepted as sent. */
export function missingOf({ row, requires_shipping, shipping_option, payment_method }: Wanted): string[] {
  const missing: string[] = [];
  const { email, phone, shipping_address: address } = row;
  const judged = row.source !== 'ai_widget';
  if (!email || (judged && !isEmail(email))) missing.push('email');
  if (judged && phone && !isPhone(phone, address?.country)) missing.push('phone');
  if (requires_shipping && shipping_option?.kind !== 'pickup') {
    if (!address) missing.push('shipping_address');
    else {
      missing.push(...ADDRESS_FIELDS.filter((field) => !address[field]).map((field) => `shipping_address.${field}`));
      if (judged && !hasPostalCode(address)) missing.push('shipping_address.postal_code');
      if (judged && address.phone && !isPhone(address.phone, address.country)) missing.push('shipping_address.phone');
    }
  }
  if (requires_shipping && !shipping_option) missing.push('shipping_option_id');
  if (!payment_method) missing.push('payment_method');
  return missing;
}
