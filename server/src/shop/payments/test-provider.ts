import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { MoneyMove, Outcome, PaymentKey, PaymentProvider, PaymentToBegin } from './provider.ts';

/**
 * A provider for tests that moves no money. The token determines the result. For `tok_3ds` and for payments on the
 * provider's page, a person decides (pages/test-payment.ts). Unknown tokens are declined. Payments are stored in
 * test_payments.
 */
export function createTestProvider({ db, baseUrl }: { db: Pool; baseUrl: string }): PaymentProvider {
  const row = (payment: Id, statement: Sql) => inBooks(db, payment, statement);
  const answer = (payment: Id, found: TestPayment) => outcomeOf(baseUrl, payment, found);
  return {
    name: TEST_PROVIDER,
    async begin(payment) {
      await row(payment, enter(payment));
      return answer(payment, await known(db, payment));
    },
    async outcomeOf(payment) {
      const found = (await row(payment, progress(payment))) ?? (await row(payment, read(payment)));
      return found && answer(payment, found);
    },
    async capture(payment, { amount }) {
      await row(
        payment,
        sql`update test_payments set status = 'succeeded', captured = ${amount}
          where site_id = ${payment.site_id} and id = ${payment.id} and status = 'authorized' and amount >= ${amount}
          returning ${COLUMNS}`,
      );
      return answer(payment, await known(db, payment));
    },
    async cancel(payment) {
      await row(payment, cancelled(payment));
      return answer(payment, await known(db, payment));
    },
    async refund(payment, refund) {
      await row(payment, refunded(payment, refund));
      const { refunds } = await known(db, payment);
      const made = refund.id in refunds;
      const reference = `test_refund_${refund.id}`;
      return { status: made ? 'succeeded' : 'failed', reference, reason: made ? null : 'exceeds_captured' };
    },
    async giveBack({ id, site_id }) {
      const { captured, currency, refunds } = await known(db, { id, site_id });
      const amount = captured - Object.values(refunds).reduce((sum, one) => sum + one, 0);
      if (amount > 0) await row({ id, site_id }, refunded({ id, site_id }, { id, amount, currency }));
      return { status: 'succeeded', reference: `test_refund_${id}`, reason: null };
    },
    receive: async () => undefined,
  };
}

export const TEST_PROVIDER = 'test_card';

type Id = Pick<PaymentKey, 'site_id' | 'id'>;

export interface TestPayment extends RowOf<'test_payments', 'status' | 'currency' | 'return_url' | 'cancel_url'> {
  amount: number;
  captured: number;
  refunds: Record<string, number>;
}

const COLUMNS = sql`status, amount, captured, currency, refunds, return_url, cancel_url`;

const BEGINNINGS: Partial<Record<string, Outcome['status']>> = {
  tok_success: 'succeeded',
  tok_authorized: 'authorized',
  tok_late_success: 'pending',
  tok_late_declined: 'pending',
  tok_3ds: 'requires_action',
};

function enter(payment: PaymentToBegin): Sql {
  const { id, site_id, amount, currency, capture, means, return_url, cancel_url, expires_at } = payment;
  const scenario = means.kind === 'page' ? 'page' : means.token;
  const status = means.kind === 'page' ? 'requires_action' : (BEGINNINGS[scenario] ?? 'failed');
  return sql`insert into test_payments (site_id, id, scenario, status, capture, amount, captured, currency, return_url,
        cancel_url, expires_at)
      values (${site_id}, ${id}, ${scenario}, ${status}, ${capture}, ${amount}, ${status === 'succeeded' ? amount : 0},
        ${currency}, ${return_url}, ${cancel_url}, ${expires_at})
      on conflict (site_id, id) do nothing returning ${COLUMNS}`;
}

/**
 * SQL that completes a pending or automatically captured payment. A payment whose action has expired, or with the token
 * `tok_late_declined`, fails instead.
 */
function progress({ site_id, id }: Id): Sql {
  const next = sql`case when status = 'requires_action' or scenario = 'tok_late_declined' then 'failed' else 'succeeded' end`;
  return sql`update test_payments set status = ${next}, captured = case when ${next} = 'succeeded' then amount else 0 end
      where site_id = ${site_id} and id = ${id} and (status = 'pending'
        or (status = 'authorized' and capture = 'automatic') or (status = 'requires_action' and expires_at <= now()))
      returning ${COLUMNS}`;
}

/** SQL that stores a person's final decision on the test provider's page. */
export function decide({ site_id, id }: Id, approved: boolean): Sql {
  return sql`update test_payments set captured = case when ${approved} and capture = 'automatic' then amount else 0 end,
        status = case when not ${approved} then 'failed' when capture = 'manual' then 'authorized' else 'succeeded' end
      where site_id = ${site_id} and id = ${id} and status = 'requires_action' and expires_at > now() returning ${COLUMNS}`;
}

/** SQL that cancels an open payment. An unknown payment is stored as cancelled, so that it can no longer begin. */
function cancelled({ site_id, id }: Id): Sql {
  return sql`insert into test_payments as t (site_id, id, scenario, status, capture, amount, currency, expires_at)
      values (${site_id}, ${id}, 'unknown', 'cancelled', 'automatic', 0, '', now())
      on conflict (site_id, id) do update set status = 'cancelled'
        where t.status in ('requires_action', 'pending', 'authorized') returning ${COLUMNS}`;
}

function refunded({ site_id, id }: Id, refund: MoneyMove): Sql {
  return sql`update test_payments t set refunds = t.refunds || jsonb_build_object(${refund.id}::text, ${refund.amount}::bigint)
      where site_id = ${site_id} and id = ${id} and not t.refunds ? ${refund.id} and ${refund.amount} + (
        select coalesce(sum(value::bigint), 0) from jsonb_each_text(t.refunds)) <= t.captured returning ${COLUMNS}`;
}

export function read({ site_id, id }: Id): Sql {
  return sql`select ${COLUMNS} from test_payments where site_id = ${site_id} and id = ${id}`;
}

async function known(db: Pool, payment: Id): Promise<TestPayment> {
  const found = await inBooks(db, payment, read(payment));
  if (!found) throw new Error(`The test provider has no payment ${payment.id}.`);
  return found;
}

function inBooks(db: Pool, { site_id }: Id, statement: Sql): Promise<TestPayment | undefined> {
  return inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
    return (await query<TestPayment>(connection, statement)).rows[0];
  });
}

function outcomeOf(baseUrl: string, { site_id, id }: Id, { status, amount, captured, currency }: TestPayment): Outcome {
  const url = `${baseUrl}/sites/${site_id}/test-payment/${id}`;
  return {
    status,
    reference: `test_${id}`,
    reason: status === 'failed' ? 'card_declined' : null,
    next_action: status === 'requires_action' ? { type: 'redirect', url } : null,
    amount: status === 'cancelled' ? null : status === 'succeeded' ? captured : amount,
    currency: status === 'cancelled' ? null : currency,
  };
}
