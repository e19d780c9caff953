import type { Address, CheckoutPaymentMethod, OrderSource, ShippingChoice } from '@commerce-backend/spec';
import { ADDRESS_FIELDS, isPhone, missingInAddress } from '../address-rules.ts';
import { isEmail } from '../emails.ts';

interface Wanted {
  row: {
    source: OrderSource;
    email: string | null;
    phone: string | null;
    shipping_address: Address | null;
  };
  requires_shipping: boolean;
  shipping_option: ShippingChoice | null;
  payment_method: CheckoutPaymentMethod | null;
}

/**
 * Returns the fields that are missing, or invalid for the country. Data from an integration is only checked for missing
 * fields.
 */
export function missingOf({ row, requires_shipping, shipping_option, payment_method }: Wanted): string[] {
  const missing: string[] = [];
  const { email, phone, shipping_address: address } = row;
  const judged = row.source !== 'ai_widget';
  if (!email || (judged && !isEmail(email))) missing.push('email');
  if (judged && phone && !isPhone(phone, address?.country)) missing.push('phone');
  if (requires_shipping && shipping_option?.kind !== 'pickup') {
    if (!address) missing.push('shipping_address');
    else {
      const fields = judged ? missingInAddress(address) : ADDRESS_FIELDS.filter((field) => !address[field]);
      missing.push(...fields.map((field) => `shipping_address.${field}`));
    }
  }
  if (requires_shipping && !shipping_option) missing.push('shipping_option_id');
  if (!payment_method) missing.push('payment_method');
  return missing;
}
