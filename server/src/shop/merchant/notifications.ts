/** The mails that a staff member gets, and their language in the panel. mail.ts reads the same columns. */

import type { Notifications, NotificationsPatch } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { notFound } from '../errors.ts';
import type { Shop } from '../shop.ts';

const columns = selectList<Notifications>({
  new_order: sql`coalesce(m.mail_new_orders, t.brand ->> 'support_email' is null)`,
  low_stock: sql`m.mail_low_stock`,
  webhook_disabled: sql`m.mail_disabled_webhooks`,
  language: sql`m.language`,
});

/** Returns the mails that a staff member gets. Throws `not_found`, even for staff of another shop. */
export async function get(shop: Shop, staff_id: string): Promise<Notifications> {
  const found = await shop.one<Notifications>(
    sql`select ${columns} from staff_memberships m join site_settings t on t.site_id = m.site_id
      where m.site_id = ${shop.siteId} and m.staff_id = ${staff_id}`,
  );
  if (!found) throw notFound('staff member');
  return found;
}

/** Changes which mails a staff member gets, or their language. Throws `not_found`, even for staff of another shop. */
export async function update(shop: Shop, staff_id: string, patch: NotificationsPatch): Promise<Notifications> {
  await shop.run(
    sql`update staff_memberships set mail_new_orders = coalesce(${patch.new_order ?? null}, mail_new_orders),
        mail_low_stock = coalesce(${patch.low_stock ?? null}, mail_low_stock),
        mail_disabled_webhooks = coalesce(${patch.webhook_disabled ?? null}, mail_disabled_webhooks),
        language = coalesce(${patch.language ?? null}, language)
      where site_id = ${shop.siteId} and staff_id = ${staff_id}`,
  );
  return get(shop, staff_id);
}
