import type { StaffRole } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { ROLES, scopesOfKey } from '../scopes.ts';
import type { Shop } from '../shop.ts';

/**
 * The maker of a webhook is the staff member or API key that set its URL and events. The webhook gets only events that
 * its maker may read now. After the key is revoked or the staff member leaves, the webhook gets no events until
 * somebody sets its URL or events.
 */
export interface MakerRow {
  has_maker: boolean;
  /** Null for an API key and for a former staff member. */
  maker_role: StaffRole | null;
  /** Null for a staff member and for an inactive API key. */
  maker_scopes: string[] | null;
}

/** Selects a MakerRow for the webhooks with this alias. */
export function makerOf(webhooks: Sql): Sql {
  return sql`${webhooks}.made_by is not null as has_maker,
    (select m.role from staff_memberships m
      where m.site_id = ${webhooks}.site_id and m.staff_id = ${webhooks}.made_by) as maker_role,
    (select t.scopes from tokens t where t.site_id = ${webhooks}.site_id and t.id = ${webhooks}.made_by
      and t.kind = 'api_key' and t.revoked_at is null and coalesce(t.expires_at > now(), true)) as maker_scopes`;
}

/**
 * The scopes of the member of staff or key that created the webhook; undefined if none is recorded. Without a creator,
 * webhooks of integrations get storefront data, and older webhooks get all events to which they subscribe.
 */
export function scopesOfMaker({ has_maker, maker_role, maker_scopes }: MakerRow): readonly string[] | undefined {
  if (!has_maker) return undefined;
  return maker_role ? ROLES[maker_role] : scopesOfKey(maker_scopes ?? []);
}

export async function followKey(shop: Shop, id: string, successor: string): Promise<void> {
  await shop.run(sql`update webhooks set made_by = ${successor} where site_id = ${shop.siteId} and made_by = ${id}`);
}
