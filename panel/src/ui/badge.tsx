import { label } from '../format.ts';

type Tone = 'good' | 'open' | 'bad' | 'quiet';

const tones: Record<string, Tone> = {
  paid: 'good',
  fulfilled: 'good',
  delivered: 'good',
  completed: 'good',
  confirmed: 'good',
  active: 'good',
  succeeded: 'good',
  delivering: 'good',
  awaiting_payment: 'open',
  authorized: 'open',
  pending: 'open',
  processing: 'open',
  unfulfilled: 'open',
  partially_fulfilled: 'open',
  partially_refunded: 'open',
  requires_escalation: 'open',
  low_stock: 'open',
  requested: 'open',
  approved: 'open',
  in_transit: 'open',
  to_confirm: 'open',
  unmatched: 'open',
  received: 'open',
  open: 'open',
  sent: 'open',
  overdue: 'bad',
  won: 'good',
  lost: 'bad',
  declined: 'bad',
  scheduled: 'open',
  cancelled: 'bad',
  failed: 'bad',
  expired: 'bad',
  revoked: 'bad',
  disabled: 'bad',
  out_of_stock: 'bad',
};

/** A status label with a colour. The text alone is enough to understand it. */
export function Badge({ value, children }: { value: string; children?: string }) {
  return <span className={`badge ${tones[value] ?? 'quiet'}`}>{children ?? label(value)}</span>;
}
