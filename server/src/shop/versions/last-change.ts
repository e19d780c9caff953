import sql from 'sql-template-tag';
import { actorName } from '../actor-names.ts';
import type { Shop } from '../shop.ts';

/** The last change of a resource, for the error of a rejected change (412). */
export interface LastChange {
  changed_at: string | null;
  changed_by: { type: string; id: string | null; name: string | null } | null;
  changed_fields: string[] | null;
}

interface Row {
  type: string;
  id: string | null;
  name: string | null;
  fields: string[];
  created_at: string;
}

/** These conditions use the indexes `audit_events_of_target` and `audit_events_of_settings`. Settings have no id. */
const ofTarget = (id: string) => sql`e.targets[1] = ${id}`;
const ofSettings = sql`e.action = 'dashboard.updateSettings'`;

/**
 * Finds the last change of a locked resource by staff or an API key. Returns only the time of the resource's last
 * change if there is none, or if the resource has changed since: for example, a change of many products names none of
 * them.
 */
export async function lastChange(shop: Shop, noun: string, id: string, shown: object): Promise<LastChange> {
  const row = await shop.one<Row>(
    sql`select e.actor_type as type, e.actor_id as id, ${actorName} as name, e.fields, e.created_at
      from audit_events e
      where e.site_id = ${shop.siteId} and e.status < 300 and e.actor_type in ('staff', 'api_key')
        and ${noun === 'settings' ? ofSettings : ofTarget(id)}
      order by e.id desc limit 1`,
  );
  const changed_at = 'updated_at' in shown ? String(shown.updated_at) : null;
  // Times written in one transaction are equal, so an equal time belongs to the same change.
  if (row && !(changed_at !== null && Date.parse(changed_at) > Date.parse(row.created_at))) {
    const { type, id: actor_id, name, fields, created_at } = row;
    return { changed_at: created_at, changed_by: { type, id: actor_id, name }, changed_fields: fields };
  }
  return { changed_at, changed_by: null, changed_fields: null };
}
