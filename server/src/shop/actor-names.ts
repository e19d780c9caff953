/** Names of actors: the current name of a person, or the name that a key or token got at its creation. */

import type { KeyActor } from '@commerce-backend/spec';
import sql, { raw, type Sql } from 'sql-template-tag';
import { jsonObject } from '../db/fields.ts';

/** The name of the actor in `e.actor_type` and `e.actor_id`. Null if there is none, as for guests and the server. */
export const actorName: Sql = sql`case e.actor_type
    when 'staff' then coalesce((select a.name from staff a where a.id = e.actor_id),
      (select f.name from former_staff f where f.site_id = e.site_id and f.staff_id = e.actor_id))
    when 'customer' then (select nullif(concat_ws(' ', c.first_name, c.last_name), '') from customers c
      where c.site_id = e.site_id and c.id = e.actor_id)
    when 'guest_agent' then (select p.host from agent_profiles p where p.site_id = e.site_id and p.id = e.actor_id)
    when 'guest' then null
    else (select k.description from tokens k where k.site_id = e.site_id and k.id = e.actor_id) end`;

/** The staff member or API key whose id is in the given column of `t`; null if there is none. */
export function actorBehind(column: Sql): Sql {
  return sql`coalesce(
      (select ${keyActor('staff', sql`a.id`, sql`a.name`)} from staff a where a.id = ${column}),
      (select ${keyActor('staff', sql`f.staff_id`, sql`f.name`)} from former_staff f
        where f.site_id = t.site_id and f.staff_id = ${column}),
      (select ${keyActor('api_key', sql`k.id`, sql`k.description`)} from tokens k
        where k.site_id = t.site_id and k.id = ${column}))`;
}

function keyActor(type: NonNullable<KeyActor>['type'], id: Sql, name: Sql): Sql {
  return jsonObject<NonNullable<KeyActor>>({ type: sql`${raw(`'${type}'`)}`, id, name });
}
