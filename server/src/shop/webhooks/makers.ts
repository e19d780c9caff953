import type { StaffRole } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { ROLES, scopesOfKey } from '../scopes.ts';
import type { Shop } from '../shop.ts';

/**
 * Who chose where a webhook sends which events: a member of staff or an API key. It gets only what they may read now: nothing once
 * the key is revoked or the member has left, until somebody else saves its events.
 */
export interface MakerRow {
  has_maker: boolean;
  /** Null for a key, and for somebody who is no member any more. */
  maker_role: StaffRole | null;
  /** Null for a member of staff, and for a key that does not work any more. */
  maker_scopes: string[] | null;
}

/** The columns of MakerRow, of the webhooks with this name. */
export function makerOf(webhooks: Sql): Sql {
  return sql`${webhooks}.made_by is not null as has_maker,
    (select m.role from staff_memberships m
      where m.site_id = ${webhooks}.site_id and m.staff_id = ${webhooks}.made_by) as maker_role,
    (select t.scopes from tokens t where t.site_id = ${webhooks}.site_id and t.id = ${webhooks}.made_by
      and t.kind = 'api_key' and t.revoked_at is null and coalesce(t.expires_at > now(), true)) as maker_scopes`;
}

/** Undefined where nobody is known: integrations get what the storefront shows, and old webhooks what they subscribe to. */
export function scopesOfMaker({ has_maker, maker_role, maker_scopes }: MakerRow): readonly string[] | undefined {
  if (!has_maker) return undefined;
  return maker_role ? ROLES[maker_role] : scopesOfKey(maker_scopes ?? []);
}

/** The webhooks of a rotated key go on with its successor. */
export async function followKey(shop: Shop, id: string, successor: string): Promise<void> {
  await shop.run(sql`update webhooks set made_by = ${successor} where site_id = ${shop.siteId} and made_by = ${id}`);
}
