import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { findSite } from '../shop/in-shop.ts';
import { addressOfHost } from '../shop/links.ts';
import {
  addDomain,
  DOMAINS_READ_EVERY_SECONDS,
  type Domain,
  listDomains,
  readHost,
  removeDomain,
} from '../shop/merchant/domains.ts';
import { withDatabase } from './database.ts';
import { refuseNoSiteId } from './site-id.ts';

/** A change to the hosts of a site. */
export type DomainChange =
  | { change: 'list' }
  | { change: 'add'; host: string; primary: boolean }
  | { change: 'remove'; host: string };

/** Lists the hosts of a site, after adding or removing one if requested. */
export async function siteDomains(config: Config, site_id: string, wanted: DomainChange): Promise<void> {
  refuseNoSiteId(site_id);
  const host = 'host' in wanted ? readHost(wanted.host, config.baseUrl) : '';
  const domains = await withDatabase(config, async (db, url) => {
    if (!(await findSite(db, site_id))) throw new Error(`Site ${site_id} does not exist.`);
    return withClient({ connectionString: url, application_name: 'commerce site domain' }, async (owner) => {
      await owner.query('begin');
      if (wanted.change === 'add') await addDomain(owner, { host, site_id, is_primary: wanted.primary });
      if (wanted.change === 'remove') await removeDomain(owner, site_id, host);
      await owner.query('commit');
      return listDomains(owner, site_id);
    });
  });
  process.stdout.write(describe(domains, config.baseUrl));
}

function describe(domains: Domain[], baseUrl: string): string {
  const lines = domains.map(({ host, is_primary }) => `${host}${is_primary ? '  (primary)' : ''}\n`);
  const primary = domains.find(({ is_primary }) => is_primary);
  const address = addressOfHost(baseUrl, primary?.host);
  const none = domains.length === 0 ? 'The site has no host of its own.\n' : '';
  return `${lines.join('')}${none}Its pages and links are at ${address}. Every server applies a change within ${DOMAINS_READ_EVERY_SECONDS} s.\n`;
}
