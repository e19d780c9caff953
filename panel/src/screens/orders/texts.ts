import { label } from '../../format.ts';
import { panelLanguage, t } from '../../language/texts.ts';
import type { Order, OrderDetails } from './order-queries.ts';

/** Returns the recipient's name, otherwise the company, the e-mail address or "A guest". */
export function nameOf({ shipping_address, billing_address, email }: Order): string {
  const { first_name, last_name, company } = shipping_address ?? billing_address ?? {};
  return [first_name, last_name].filter(Boolean).join(' ') || company || email || t('A guest');
}

/** The lines of an address, with the country in the member's language or in another one. */
export function addressLines(address: NonNullable<Order['shipping_address']>, language = panelLanguage()): string[] {
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address;
  const lines = [
    [first_name, last_name].filter(Boolean).join(' '),
    ...[company, address1, address2],
    [postal_code, city].filter(Boolean).join(' '),
    ...[state, countryName(country, language)],
  ];
  return lines.filter((line): line is string => !!line);
}

function countryName(country: string | null | undefined, language: string): string | null | undefined {
  if (!country || !/^[A-Z]{2}$/.test(country)) return country;
  return new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(country);
}

export function lineName({ name, variant_name, option1, option2, option3 }: Order['line_items'][number]): string {
  const variant = variant_name || [option1, option2, option3].filter(Boolean).join(' / ');
  return variant ? `${name}, ${variant}` : name;
}

export function methodName(method: string | null | undefined): string {
  return method === 'manual' ? t('Paid on handover') : method ? label(method) : t('No payment');
}

/** Whether payments can be recorded for an order that has not expired. */
export function takesPayments(order: OrderDetails): boolean {
  const { payment_method, payment_status, payment_terms } = order;
  if (payment_terms !== null) return true;
  if (payment_method === 'bank_transfer' && payment_status === 'awaiting_payment') return true;
  return isDueAfterPayment(order);
}

/** Whether an edit or an exchange has left an amount due of an order that counts as paid. */
export function isDueAfterPayment({ amount_due, payment_status }: OrderDetails): boolean {
  return Number(amount_due) > 0 && ['paid', 'partially_refunded', 'refunded'].includes(payment_status);
}

/** Whether the order expired because its bank transfer did not arrive in time. A late payment can still be recorded. */
export function hasExpired({ status, payment_status }: Pick<Order, 'status' | 'payment_status'>): boolean {
  return status === 'cancelled' && payment_status === 'expired';
}

const DELIVERY: Record<string, string> = {
  unfulfilled: t('Not shipped'),
  partially_fulfilled: t('Partly shipped'),
  fulfilled: t('Shipped'),
};

/** The delivery status in words. */
export function deliveryName(fulfillment_status: string): string {
  return DELIVERY[fulfillment_status] ?? label(fulfillment_status);
}
