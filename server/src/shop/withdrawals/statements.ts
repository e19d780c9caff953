import { createHmac } from 'node:crypto';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { networkOf } from '../client-network.ts';
import { canonicalEmail } from '../emails.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';

/**
 * Maximum number of acknowledgements per day, to one e-mail address and for one client. Further ones are sent later, so
 * that every statement is acknowledged, but the page cannot be used to flood a mailbox.
 */
const PER_RECIPIENT = 5;
const PER_CLIENT = 20;

export interface Statement {
  /** Created with the form, so that a form that is sent twice is stored once. */
  id: string;
  name: string;
  email: string;
  contract: string;
  items: string | null;
  locale: string;
  /** The order, if the customer was logged in or opened a verified link to it. */
  order_id: string | null;
  /** The chosen pieces of the order; null for all of them. */
  lines: ChosenLine[] | null;
}

export interface ChosenLine {
  line_item_id: string;
  quantity: number;
}

export interface Client {
  ip: string | undefined;
  secretKey: string;
}

/**
 * Stores a statement and queues its acknowledgement. The response does not show whether an order matches; a job looks
 * for the order. Does nothing if the statement is already stored.
 */
export async function store(shop: Shop, statement: Statement, { ip, secretKey }: Client): Promise<void> {
  const { id, name, contract, items, locale, order_id, lines } = statement;
  const email = canonicalEmail(statement.email);
  const recipient = email.toLowerCase();
  const client_hash = createHmac('sha256', secretKey)
    .update(`withdrawal|${shop.siteId}|${networkOf(ip)}`)
    .digest();
  await lockCounts(shop, [client_hash.toString('hex'), recipient]);
  const added = await shop.one<RowOf<'withdrawal_statements', 'acknowledge_at'>>(
    sql`insert into withdrawal_statements
        (site_id, id, name, email, recipient, contract, items, locale, order_id, lines, client_hash, acknowledge_at)
      select ${shop.siteId}, ${id}, ${name}, ${email}, ${recipient}, ${contract}, ${items}, ${locale}, ${order_id},
        ${lines === null ? null : JSON.stringify(lines)}::jsonb, ${client_hash}, greatest(now(), (
          select s.acknowledge_at + interval '1 day' from withdrawal_statements s
          where s.site_id = ${shop.siteId} and s.recipient = ${recipient}
          order by s.acknowledge_at desc offset ${PER_RECIPIENT - 1} limit 1), (
          select s.acknowledge_at + interval '1 day' from withdrawal_statements s
          where s.site_id = ${shop.siteId} and s.client_hash = ${client_hash}
          order by s.acknowledge_at desc offset ${PER_CLIENT - 1} limit 1))
      on conflict do nothing returning acknowledge_at`,
  );
  if (!added) return;
  await shop.run(sql`insert into withdrawals (site_id, id) values (${shop.siteId}, ${id})`);
  await mail.enqueue(shop, 'withdrawal_stated', { statement_id: id }, added.acknowledge_at);
  const job = JSON.stringify({ site_id: shop.siteId, withdrawal_id: id });
  await shop.run(sql`select enqueue('match_withdrawal', ${job}::json, now())`);
}

/**
 * Serializes statements with the same client or recipient, so that each sees the others. The fixed order of the locks
 * prevents deadlocks.
 */
async function lockCounts(shop: Shop, [client, recipient]: [string, string]): Promise<void> {
  for (const key of [`withdrawal client ${client}`, `withdrawal recipient ${recipient}`]) {
    await shop.run(sql`select pg_advisory_xact_lock(hashtextextended(${`${shop.siteId} ${key}`}, 0))`);
  }
}

export type StoredStatement = RowOf<
  'withdrawal_statements',
  'id' | 'name' | 'email' | 'contract' | 'items' | 'locale' | 'created_at'
>;

export async function find(shop: Shop, id: string): Promise<StoredStatement | undefined> {
  return shop.one<StoredStatement>(
    sql`select id, name, email, contract, items, locale, created_at from withdrawal_statements
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}
