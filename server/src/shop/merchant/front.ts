import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** What the pages and mails of a shop are made with besides their content. */
export interface Front {
  name: string;
  default_locale: string;
  time_zone: string;
}

/** From `site_settings t`. */
export const frontObject = sql`json_build_object('name', t.name, 'default_locale', t.default_locale,
  'time_zone', t.time_zone)`;

export async function readFront(shop: Shop): Promise<Front> {
  const found = await shop.one<{ front: Front }>(
    sql`select ${frontObject} as front from site_settings t where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found.front;
}
