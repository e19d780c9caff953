import type { Config } from '../config.ts';
import { findSite, inShop } from '../shop/in-shop.ts';
import { SYSTEM } from '../shop/shop.ts';
import { type MonthUsage, usageOf } from '../shop/usage.ts';
import { withPool } from './database.ts';
import { refuseNoSiteId } from './site-id.ts';

const MOST_MONTHS = 60;

/** Shows the usage of a site by month, current month first. */
export async function siteUsage(
  config: Config,
  site_id: string,
  { months, json }: { months: string; json: boolean },
): Promise<void> {
  refuseNoSiteId(site_id);
  const count = /^\d{1,2}$/.test(months) ? Number(months) : 0;
  if (count < 1 || count > MOST_MONTHS) {
    throw new Error(`--months must be a whole number from 1 to ${MOST_MONTHS}, not "${months}".`);
  }
  const usage = await withPool(config, async (db) => {
    const tenant = await findSite(db, site_id);
    if (!tenant) throw new Error(`Site ${site_id} does not exist.`);
    return inShop(db, tenant, SYSTEM, (shop) => usageOf(shop, count), { whileMoved: true });
  });
  process.stdout.write(json ? `${JSON.stringify(usage, null, 2)}\n` : tableOf(usage));
}

function tableOf(usage: MonthUsage[]): string {
  const head = ['Month', 'Calls', 'Orders', 'Deliveries', 'Products', 'Storage'];
  const rows = usage.map(({ month, calls, orders, deliveries, products, storage_bytes }) => [
    month,
    ...[calls, orders, deliveries, products].map(String),
    `${(storage_bytes / 1024 / 1024).toFixed(1)} MB`,
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = ([first = '', ...rest]: string[]) =>
    `${[first.padEnd(widths[0] ?? 0), ...rest.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  ')}\n`;
  return [head, ...rows].map(line).join('');
}
