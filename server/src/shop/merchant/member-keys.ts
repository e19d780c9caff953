import type { KeyOfMember } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import type { Shop } from '../shop.ts';

const columns = selectList<KeyOfMember>({
  id: sql`t.id`,
  kind: sql`t.kind`,
  description: sql`t.description`,
  created_at: sql`t.created_at`,
});

/**
 * Lists the active keys whose secret a staff member may have seen: keys that the person created, and keys that were
 * created with one of these. Public storefront tokens are not secret.
 */
export function keysOf(shop: Shop, staff_id: string): Promise<KeyOfMember[]> {
  return shop.rows<KeyOfMember>(
    sql`with recursive made as (
        select id from tokens where site_id = ${shop.siteId} and created_by = ${staff_id}
        union select t.id from tokens t join made on t.created_by = made.id where t.site_id = ${shop.siteId}
      )
      select ${columns} from tokens t join made using (id)
      where t.site_id = ${shop.siteId} and (t.kind in ('api_key', 'sync') or t.private)
        and t.revoked_at is null and coalesce(t.expires_at > now(), true)
      order by t.created_at, t.id`,
  );
}

export async function revokeKeys(shop: Shop, keys: KeyOfMember[]): Promise<void> {
  await shop.run(
    sql`update tokens set revoked_at = now(), revoked_by = ${shop.actorId}
      where site_id = ${shop.siteId} and id = any(${keys.map(({ id }) => id)}::uuid[]) and revoked_at is null`,
  );
}
