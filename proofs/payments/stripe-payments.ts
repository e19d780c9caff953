import type { Pool } from 'pg';
import { refundedOf } from '../../server/test/stripe/intents.ts';
import type { Intent } from '../../server/test/stripe/objects.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';

/** The payments of a checkout at the stand-in for Stripe, compared with its orders. */
export interface StripeBooks {
  /** Connections without row-level security. */
  owner: Pool;
  standIn: StripeStandIn;
  site_id: string;
}

/** Returns the ids of a checkout's payments. */
async function paymentsOf({ owner, site_id }: StripeBooks, checkout_id: string): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    'select id from commerce.payments where site_id = $1 and checkout_id = $2',
    [site_id, checkout_id],
  );
  return rows.map(({ id }) => id);
}

async function intentsOf(books: StripeBooks, checkout_id: string): Promise<Intent[]> {
  const ids = await paymentsOf(books, checkout_id);
  return [...books.standIn.ledger.intents.values()].filter(({ metadata }) => ids.includes(metadata.payment_id ?? ''));
}

/** The shopper approves or declines each pending payment at Stripe or at the bank. Delayed payment methods settle. */
export async function actAtStripe(books: StripeBooks, checkout_id: string, approved: boolean): Promise<void> {
  const { standIn } = books;
  const { ledger, url } = standIn;
  const ids = await paymentsOf(books, checkout_id);
  for (const session of ledger.sessions.values()) {
    if (session.status !== 'open' || !ids.includes(session.metadata.payment_id ?? '')) continue;
    await standIn.press(`${url}/pay/${session.id}`, approved ? 'pay' : 'decline');
  }
  for (const intent of await intentsOf(books, checkout_id)) {
    if (intent.status === 'requires_action')
      await standIn.press(`${url}/three-d-secure/${intent.id}`, approved ? 'confirm' : 'refuse');
    else if (intent.status === 'processing' && approved) ledger.take(intent);
    else if (intent.status === 'processing') ledger.decline(intent, 'payment_failed');
  }
}

/**
 * Stripe captures a payment that it reported as ended, which it should not do. A released authorization is excluded,
 * because the shopper cannot approve it again.
 */
export async function succeedLate(books: StripeBooks, checkout_id: string): Promise<void> {
  const { standIn } = books;
  const { ledger, url } = standIn;
  const ids = await paymentsOf(books, checkout_id);
  for (const session of ledger.sessions.values()) {
    if (session.status !== 'expired' || session.payment_intent || !ids.includes(session.metadata.payment_id ?? ''))
      continue;
    session.status = 'open';
    await standIn.press(`${url}/pay/${session.id}`, 'pay');
  }
  const reserved = ledger.events
    .filter(({ type }) => type === 'payment_intent.amount_capturable_updated')
    .map(({ data }) => (data.object as Intent).id);
  for (const intent of await intentsOf(books, checkout_id)) {
    if (intent.status === 'canceled' && !reserved.includes(intent.id)) ledger.take(intent);
  }
}

/** The merchant refunds a payment in Stripe's dashboard, in full or in part. */
export async function refundAtStripe(books: StripeBooks, checkout_id: string, all: boolean): Promise<void> {
  for (const intent of await intentsOf(books, checkout_id)) {
    const left = intent.amount_received - refundedOf(books.standIn.ledger, intent);
    if (left > 0) books.standIn.refund(intent.id, all ? left : Math.min(left, 300));
  }
}

/** A bank returns the money of a refund that had succeeded. Returns whether there was such a refund. */
export async function sendRefundBack(books: StripeBooks, checkout_id: string): Promise<boolean> {
  const { ledger } = books.standIn;
  const ids = (await intentsOf(books, checkout_id)).map(({ id }) => id);
  const made = [...ledger.refunds.values()].find(
    ({ payment_intent, status }) => status === 'succeeded' && ids.includes(payment_intent),
  );
  if (made) ledger.changeRefund(made, 'failed');
  return made !== undefined;
}

/** Moves the deadlines of all open payments into the past. */
export async function letTimePass({ owner, site_id }: StripeBooks): Promise<void> {
  await owner.query(
    `update commerce.payments set expires_at = least(expires_at, now()), created_at = created_at - interval '20 minutes',
        updated_at = updated_at - interval '20 minutes', unreachable_since = unreachable_since - interval '20 minutes'
      where site_id = $1 and status in ('started', 'requires_action', 'pending', 'authorized', 'abandoned')`,
    [site_id],
  );
}

interface Record {
  orders: number;
  /** The captured money that belongs to orders, in minor units. */
  kept: number;
  /** The money that must be authorized for orders, in minor units. */
  reserved: number;
  returned: number;
  total: number | null;
  unfinished: number;
}

/**
 * Describes the difference between Stripe and the orders, such as money without an order or a paid order without money;
 * undefined if there is none.
 */
export async function faultIn(books: StripeBooks, checkout_id: string): Promise<string | undefined> {
  const { rows } = await books.owner.query<Record>(
    `with o as (select * from commerce.orders where site_id = $1 and checkout_id = $2),
      p as (select * from commerce.payments where site_id = $1 and checkout_id = $2),
      r as (select m.* from commerce.payment_moves m join o on m.order_id = o.id where m.site_id = $1)
    select (select count(*) from o)::int as orders, (select max(total * 100) from o)::int as total, (
        select coalesce(sum(coalesce(captured, total) * 100), 0) from o
        where payment_status in ('paid', 'partially_refunded', 'refunded'))::int as kept, (
        select coalesce(sum(total * 100), 0) from o where payment_status = 'authorized')::int as reserved, (
        select coalesce(sum(amount * 100), 0) from r where kind = 'refund' and status = 'succeeded')::int as returned, (
        select count(*) from p where status in ('started', 'requires_action', 'abandoned')
          or (status in ('pending', 'succeeded') and order_id is null)
          or (status = 'authorized' and not exists (select from o where o.payment_status = 'authorized')))::int + (
        select count(*) from r where status = 'pending')::int as unfinished`,
    [books.site_id, checkout_id],
  );
  const record = rows[0];
  if (!record) throw new Error('There is no record.');
  const intents = await intentsOf(books, checkout_id);
  const refunds = [...books.standIn.ledger.refunds.values()].filter(
    ({ payment_intent, status }) => status === 'succeeded' && intents.some(({ id }) => id === payment_intent),
  );
  const taken = sum(intents.map(({ amount_received }) => amount_received));
  const there = {
    money: taken - sum(refunds.map(({ amount }) => amount)),
    reserved: sum(intents.map(({ amount_capturable }) => amount_capturable)),
    open: intents.filter(({ status }) => ['processing', 'requires_action'].includes(status)).length,
  };
  const isRight =
    there.money === record.kept - record.returned &&
    there.reserved === record.reserved &&
    there.open === 0 &&
    record.orders <= 1 &&
    record.unfinished === 0;
  return isRight ? undefined : `on record ${JSON.stringify(record)}, at Stripe ${JSON.stringify(there)}`;
}

function sum(amounts: number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0);
}
