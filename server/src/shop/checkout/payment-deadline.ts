import type { PaymentMethod } from '@commerce-backend/spec';
import type { Priced } from './state.ts';

/** An order by invoice has the payment method `manual`, which clients know. */
export function methodOf(method: Priced['payment_method']): PaymentMethod | null {
  return method === 'invoice' ? 'manual' : method;
}

const REMINDED_AFTER_HOURS = 72;

/**
 * When the order must be paid, and when the customer is reminded, in hours from now: halfway to the deadline of a bank transfer, and
 * three days after that of an invoice.
 */
export function dueOf({ payment_method, terms }: Priced) {
  const { payment_deadline_hours: hours, credit, reminds_overdue } = terms;
  if (payment_method === 'bank_transfer') return { hours, reminder_hours: hours / 2, terms_days: null };
  if (payment_method !== 'invoice' || !credit) return undefined;
  const { payment_terms_days: terms_days } = credit;
  const due = terms_days * 24;
  return { hours: due, reminder_hours: reminds_overdue ? due + REMINDED_AFTER_HOURS : null, terms_days };
}
