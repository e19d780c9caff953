import type { Config } from '../config.ts';
import { type ListedSite, listSites, SITE_PROBLEMS, SITE_STATUSES } from '../shop/merchant/site-list.ts';
import { SITE_ORDERS } from '../shop/merchant/site-order.ts';
import { TEST_PROVIDER } from '../shop/payments/test-provider.ts';
import { withPool } from './database.ts';

export interface SiteListOptions {
  sort: string;
  status?: string;
  problem?: string;
  json: boolean;
}

/** Lists the sites that match the filters, with their counts and problems. */
export async function siteList(config: Config, { sort, status, problem, json }: SiteListOptions): Promise<void> {
  const filter = {
    sort: oneOf('--sort', SITE_ORDERS, sort),
    ...(status !== undefined && { status: oneOf('--status', SITE_STATUSES, status) }),
    ...(problem !== undefined && { problem: oneOf('--problem', SITE_PROBLEMS, problem) }),
  };
  const card = config.cardProvider === 'test' ? { name: TEST_PROVIDER } : undefined;
  const sites = await withPool(config, (db) => listSites(db, card, filter));
  process.stdout.write(json ? `${JSON.stringify(sites, null, 2)}\n` : tableOf(sites));
}

function oneOf<Name extends string>(flag: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given.replaceAll('-', '_'));
  if (found) return found;
  throw new Error(`${flag} must be one of ${names.join(', ').replaceAll('_', '-')}, not "${given}".`);
}

const HEAD = [
  'Site',
  'Name',
  'Host',
  'State',
  'Created',
  'Products',
  'Orders',
  'Last order',
  'Calls',
  'Storage',
  'Health',
];

function tableOf(sites: ListedSite[]): string {
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

function stateOf({ suspended_at, moved_at, delete_at }: ListedSite): string {
  if (delete_at) return `ends ${delete_at.slice(0, 10)}`;
  if (moved_at) return 'moved';
  return suspended_at ? 'suspended' : 'open';
}

function rowOf(site: ListedSite) {
  const { site_id, name, host, created_at, products, orders, calls, last_order_at, storage_bytes } = site;
  const megabytes = `${(storage_bytes / 1024 / 1024).toFixed(1)} MB`;
  const days = [created_at, last_order_at].map((moment) => moment?.slice(0, 10) ?? '–');
  const held = [products, orders].map(String);
  const shown = [site_id, name, host ?? '–', stateOf(site), days[0] ?? ''];
  return [...shown, ...held, days[1] ?? '', String(calls), megabytes, healthOf(site)];
}

/** The problems of a site in words. A suspension is not listed, because it is shown as the state. */
function healthOf({ problems, lacks }: ListedSite): string {
  const words = {
    cannot_sell: `cannot sell: ${lacks.join(', ')}`,
    webhooks_failing: 'webhooks failing',
    suspended: '',
  };
  const found = problems.map((problem) => words[problem]).filter(Boolean);
  return found.length > 0 ? found.join('; ') : 'ok';
}
