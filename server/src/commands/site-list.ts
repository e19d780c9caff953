import type { Config } from '../config.ts';
import { type FleetSite, listSites, SITE_ORDERS, type SiteOrder } from '../shop/merchant/fleet.ts';
import { withPool } from './database.ts';

/** Shows all sites with what they hold. */
export async function siteList(config: Config, { sort, json }: { sort: string; json: boolean }): Promise<void> {
  const order = SITE_ORDERS.find((one) => one === sort.replace('-', '_'));
  if (!order) throw new Error(`Sites are sorted by ${SITE_ORDERS.join(', ').replace('_', '-')}: not by "${sort}".`);
  const sites = await withPool(config, (db) => listSites(db, order satisfies SiteOrder));
  process.stdout.write(json ? `${JSON.stringify(sites, null, 2)}\n` : tableOf(sites));
}

const HEAD = ['Site', 'Name', 'Host', 'Created', 'Products', 'Orders', 'Last order', 'Storage'];

function tableOf(sites: FleetSite[]): string {
  const rows = [HEAD, ...sites.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function rowOf({ site_id, name, host, created_at, products, orders, last_order_at, storage_bytes }: FleetSite) {
  const megabytes = `${(storage_bytes / 1024 / 1024).toFixed(1)} MB`;
  const days = [created_at, last_order_at].map((moment) => moment?.slice(0, 10) ?? '–');
  return [site_id, name, host ?? '–', days[0] ?? '', String(products), String(orders), days[1] ?? '', megabytes];
}
