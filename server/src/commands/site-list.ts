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

const HEAD = ['Site', 'Name', 'Host', 'State', 'Created', 'Products', 'Orders', 'Last order', 'Storage'];

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

function stateOf({ suspended_at, delete_at }: FleetSite): string {
  if (delete_at) return `ends ${delete_at.slice(0, 10)}`;
  return suspended_at ? 'suspended' : 'open';
}

function rowOf(site: FleetSite) {
  const { site_id, name, host, created_at, products, orders, last_order_at, storage_bytes } = site;
  const megabytes = `${(storage_bytes / 1024 / 1024).toFixed(1)} MB`;
  const days = [created_at, last_order_at].map((moment) => moment?.slice(0, 10) ?? '–');
  const counts = [products, orders].map(String);
  return [site_id, name, host ?? '–', stateOf(site), days[0] ?? '', ...counts, days[1] ?? '', megabytes];
}
