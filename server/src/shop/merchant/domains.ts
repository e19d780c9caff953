/** Hosts of sites. Only operators change them, as the database owner; the role of requests can only read them. */

import { isIP } from 'node:net';
import type pg from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { bodyMistake, NotFound, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';

export type Domain = RowOf<'site_domains', 'host' | 'site_id' | 'is_primary'>;

/** Interval at which each process reads the hosts. After a change, the processes may differ for this time. */
export const DOMAINS_READ_EVERY_SECONDS = 5;

export async function readDomains(db: pg.Pool): Promise<Domain[]> {
  const { rows } = await queryAlone<Domain>(db, sql`select host, site_id, is_primary from site_domains`);
  return rows;
}

/** Returns a hash of all hosts, which changes with any of them. */
export async function readFingerprint(db: pg.Pool): Promise<string> {
  const { rows } = await queryAlone<{ fingerprint: string }>(
    db,
    sql`select coalesce(sum(hashtextextended(host || ' ' || site_id || ' ' || is_primary, 0)), 0)::text as fingerprint
      from site_domains`,
  );
  return rows[0]?.fingerprint ?? '';
}

/** Returns the shop's primary host, if it has one. */
export async function primaryHost(shop: Shop): Promise<string | undefined> {
  const found = await shop.one<RowOf<'site_domains', 'host'>>(
    sql`select host from site_domains where site_id = ${shop.siteId} and is_primary`,
  );
  return found?.host;
}

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Converts a host to lower-case ASCII (punycode). Throws a ValidationError for an invalid host, an IP address or the
 * host of BASE_URL.
 */
export function readHost(text: string, baseUrl: string): string {
  if (!/^[^\s/\\:@?#%*[\]]{1,253}$/u.test(text) || !URL.canParse(`https://${text}`)) {
    throw hostMistake(`"${text}" is not a host. Enter only the name, such as shop.example, without https:// and port.`);
  }
  const { hostname } = new URL(`https://${text}`);
  const labels = hostname.split('.');
  if (isIP(hostname) || labels.length < 2 || hostname.length > 253 || !labels.every((label) => LABEL.test(label))) {
    throw hostMistake(`"${text}" is not a host name with a domain. Enter one such as shop.example.`);
  }
  if (hostname === new URL(baseUrl).hostname) {
    throw hostMistake(`${hostname} is the host of BASE_URL, which all sites share. Choose another host.`);
  }
  return hostname;
}

function hostMistake(msg: string): ValidationError {
  return new ValidationError([bodyMistake(['host'], 'value_error', msg)]);
}

type Owner = Pick<pg.ClientBase, 'query'>;

/** Lists the hosts of a site, primary first. */
export async function listDomains(owner: Owner, site_id: string): Promise<Domain[]> {
  const { rows } = await owner.query<Domain>(
    sql`select host, site_id, is_primary from commerce.site_domains where site_id = ${site_id}::uuid
      order by is_primary desc, host`,
  );
  return rows;
}

/** Adds a host to a site, or makes it primary. Throws `conflict` if another site has it. Must run in a transaction. */
export async function addDomain(owner: Owner, { host, site_id, is_primary }: Domain): Promise<void> {
  // Serializes concurrent changes of the primary host. This lock does not block inserts that refer to the site.
  await owner.query(sql`select from commerce.sites where site_id = ${site_id}::uuid for no key update`);
  if (is_primary) {
    await owner.query(
      sql`update commerce.site_domains set is_primary = false
        where site_id = ${site_id}::uuid and is_primary and host <> ${host}`,
    );
  }
  const { rowCount } = await owner.query(
    sql`insert into commerce.site_domains as d (host, site_id, is_primary)
      values (${host}, ${site_id}::uuid, ${is_primary})
      on conflict (host) do update set is_primary = d.is_primary or excluded.is_primary
        where d.site_id = excluded.site_id`,
  );
  if (rowCount === 0) {
    throw new ShopError('conflict', `${host} belongs to another site. Remove it there first.`);
  }
}

/** Removes a host from a site. Throws NotFound if the site does not have it. */
export async function removeDomain(owner: Owner, site_id: string, host: string): Promise<void> {
  const { rowCount } = await owner.query(
    sql`delete from commerce.site_domains where site_id = ${site_id}::uuid and host = ${host}`,
  );
  if (rowCount === 0) throw new NotFound(`host ${host} of the site`);
}
