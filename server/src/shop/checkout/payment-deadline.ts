import type { PaymentMethod } from '@commerce-backend/spec';
import type { Priced } from './state.ts';

/** Orders by invoice have the payment method `manual`, because existing clients do not know `invoice`. */
export function methodOf(method: Priced['payment_method']): PaymentMethod | null {
  return method === 'invoice' ? 'manual' : method;
}

const REMINDED_AFTER_HOURS = 72;

/**
 * Returns the payment deadline and the time of the reminder, in hours from now; undefined for orders without a
 * deadline. The reminder of a bank transfer is sent halfway to the deadline, the reminder of an invoice three days
 * after the deadline.
 */
export function dueOf({ payment_method, terms }: Priced) {
  const { payment_deadline_hours: hours, credit, reminds_overdue } = terms;
  if (payment_method === 'bank_transfer') return { hours, reminder_hours: hours / 2, terms_days: null };
  if (payment_method !== 'invoice' || !credit) return undefined;
  const { payment_terms_days: terms_days } = credit;
  const due = terms_days * 24;
  return { hours: due, reminder_hours: reminds_overdue ? due + REMINDED_AFTER_HOURS : null, terms_days };
}
