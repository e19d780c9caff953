import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { ERA } from '../../db/era.ts';
import type { RowOf } from '../../db/row-of.ts';
import { type Closed, siteClosed } from '../errors.ts';
import { checkoutToken } from '../links.ts';
import type { Shop, Tenant } from '../shop.ts';
import { hashToken, isWellFormed } from '../tokens.ts';

/** The checkout of a link. Anyone who has the link may continue the checkout. */
export interface LinkedCheckout {
  tenant: Tenant;
  checkout_id: string;
}

/**
 * Finds the checkout of a link, in any status; undefined if there is none. Throws `site_suspended` or `site_moved`.
 * Sets the tenant for row-level security on the connection or, with `local`, only for its transaction.
 */
export async function followLink(
  connection: Connection,
  token: string,
  local: boolean,
): Promise<LinkedCheckout | undefined> {
  if (!isWellFormed('checkout', token)) return undefined;
  const { rows } = await query<Tenant & RowOf<'checkout_links', 'checkout_id'> & { closed: Closed | null }>(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, '' as catalog_version, l.checkout_id,
        ${ERA} as era, s.closed, set_config('app.site_id', s.site_id::text, ${local})
      from checkout_links l join sites s using (site_id) where l.token_hash = ${hashToken(token)}`,
  );
  const [found] = rows;
  if (!found) return undefined;
  const { checkout_id, closed, ...tenant } = found;
  if (closed) throw siteClosed(closed);
  return { tenant, checkout_id };
}

/**
 * Adds links signed with a new SECRET_KEY to the open checkouts of a shop. Old links stay valid. Returns the number of
 * added links.
 */
export async function linkOpenCheckouts(shop: Shop, secretKey: string): Promise<number> {
  const open = await shop.rows<RowOf<'checkouts', 'id'>>(
    sql`select id from checkouts where site_id = ${shop.siteId} and status in ('open', 'ready', 'requires_escalation')`,
  );
  const ids = open.map(({ id }) => id);
  const hashes = ids.map((id) => hashToken(checkoutToken(shop, { secretKey }, id)));
  return shop.run(
    sql`insert into checkout_links (site_id, checkout_id, token_hash)
      select ${shop.siteId}, t.id, t.hash from unnest(${ids}::uuid[], ${hashes}::bytea[]) as t(id, hash)
      on conflict (token_hash) do nothing`,
  );
}
