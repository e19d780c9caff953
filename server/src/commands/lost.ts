import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Config } from '../config.ts';
import type { RowOf } from '../db/row-of.ts';
import { findSite, inShop } from '../shop/in-shop.ts';
import { currencyDigits, decimal } from '../shop/money.ts';
import { openAccounts, type PaymentAccounts } from '../shop/payments/accounts/providers.ts';
import type { HeldMoney } from '../shop/payments/provider.ts';
import { SYSTEM, type Tenant } from '../shop/shop.ts';
import { withPool } from './database.ts';

export interface LostOptions {
  log: string;
  since?: string;
  /** Compares only this site; all sites by default. */
  site?: string;
}

/** A line of the log about a completed checkout. */
interface Acknowledged {
  time: string;
  request_id: string;
  site_id: string;
  checkout_id: string;
  order_number?: string;
}

/**
 * Prints the orders that the log confirms but the database lacks, and the payments that the provider received but that
 * have no order. Returns true if there are none. Throws if the payments of a site could not be compared.
 */
export async function lost(config: Config, { log, since, site }: LostOptions): Promise<boolean> {
  const { acknowledged, begun } = await readLog(log);
  const from = since === undefined ? begun : new Date(since);
  if (from === undefined || Number.isNaN(from.getTime())) {
    throw new Error(
      since ? `"${since}" is not a time such as 2026-11-29T03:00:00Z.` : `${log} contains no log line of the server.`,
    );
  }
  return withPool(config, async (db) => {
    const accounts = openAccounts(db, config);
    const present = await presentSites(db);
    const sites = site === undefined ? new Set([...acknowledged.keys(), ...present]) : [site];
    let missing = 0;
    let unasked = 0;
    const print = (lines: string[]) => {
      for (const line of lines) process.stdout.write(`${line}\n`);
      missing += lines.length;
    };
    for (const site_id of sites) {
      print(await missingOrders(db, site_id, acknowledged.get(site_id) ?? []));
      if (!present.includes(site_id)) continue;
      try {
        print(await missingMoney(db, accounts, site_id, from));
      } catch (error) {
        // The other sites are still compared.
        process.stdout.write(`payments of site ${site_id} not compared: ${(error as Error).message}\n`);
        unasked += 1;
      }
    }
    const compared = [...sites].reduce((sum, site_id) => sum + (acknowledged.get(site_id)?.length ?? 0), 0);
    process.stdout.write(
      `${missing} missing; ${compared} confirmed orders and the payments since ${from.toISOString()} were compared.\n`,
    );
    if (unasked > 0) throw new Error(`The payments of ${unasked} sites could not be compared.`);
    return missing === 0;
  });
}

/** The confirmed orders of each site in a log, without duplicates, and the time of its first line. */
async function readLog(file: string): Promise<{ acknowledged: Map<string, Acknowledged[]>; begun: Date | undefined }> {
  const acknowledged = new Map<string, Acknowledged[]>();
  const seen = new Set<string>();
  let begun: Date | undefined;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = parsed(text);
    if (line?.time) begun ??= new Date(line.time);
    if (!line?.checkout_id || !line.site_id || (line.status ?? 500) >= 400 || seen.has(line.checkout_id)) continue;
    seen.add(line.checkout_id);
    const lines = acknowledged.get(line.site_id) ?? [];
    acknowledged.set(line.site_id, lines);
    lines.push(line as Acknowledged);
  }
  return { acknowledged, begun };
}

/** Parses a log line of the server. Returns undefined for other lines, such as the lines of a supervisor. */
function parsed(text: string): (Partial<Acknowledged> & { status?: number }) | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Partial<Acknowledged> & { status?: number };
  } catch {
    return undefined;
  }
}

async function presentSites(db: Pool): Promise<string[]> {
  const { rows } = await db.query<RowOf<'sites', 'site_id'>>(
    sql`select site_id from commerce.sites where moved_at is null order by site_id`,
  );
  return rows.map(({ site_id }) => site_id);
}

async function missingOrders(db: Pool, site_id: string, acknowledged: Acknowledged[]): Promise<string[]> {
  const tenant = await findSite(db, site_id);
  const known = tenant ? await knownOrders(db, tenant, acknowledged) : new Set();
  return acknowledged
    .filter(({ checkout_id }) => !known.has(checkout_id))
    .map(
      ({ time, order_number, checkout_id, request_id }) =>
        `order ${order_number ?? 'without a known number'}: site ${site_id}, checkout ${checkout_id}, confirmed at ${time}, request ${request_id}`,
    );
}

/**
 * Describes each payment of the site for which the provider holds money and that has no order. Throws if the provider
 * cannot be reached.
 */
async function missingMoney(db: Pool, accounts: PaymentAccounts, site_id: string, from: Date): Promise<string[]> {
  const tenant = await findSite(db, site_id);
  const provider = await accounts.providerOf(site_id);
  if (!tenant || !provider?.moneySince) return [];
  const held: HeldMoney[] = [];
  for await (const one of provider.moneySince(from)) held.push(one);
  const paid = await paymentsWithOrder(db, tenant, held);
  return held
    .filter(({ payment_id }) => !paid.has(payment_id))
    .map(
      ({ amount, currency, reference, payment_id }) =>
        `money ${decimal(amount, currencyDigits(currency))} ${currency}: site ${site_id}, payment ${payment_id}, ${provider.name} ${reference}`,
    );
}

async function knownOrders(db: Pool, tenant: Tenant, acknowledged: Acknowledged[]): Promise<Set<string | null>> {
  const ids = acknowledged.map(({ checkout_id }) => checkout_id);
  const rows = await inShop(db, tenant, SYSTEM, (shop) =>
    shop.rows<RowOf<'orders', 'checkout_id'>>(
      sql`select checkout_id from orders where site_id = ${shop.siteId} and checkout_id = any(${ids}::uuid[])`,
    ),
  );
  return new Set(rows.map(({ checkout_id }) => checkout_id));
}

async function paymentsWithOrder(db: Pool, tenant: Tenant, held: HeldMoney[]): Promise<Set<string>> {
  const ids = held.map(({ payment_id }) => payment_id);
  const rows = await inShop(db, tenant, SYSTEM, (shop) =>
    shop.rows<RowOf<'payments', 'id'>>(
      sql`select id from payments
        where site_id = ${shop.siteId} and id = any(${ids}::uuid[]) and order_id is not null`,
    ),
  );
  return new Set(rows.map(({ id }) => id));
}
