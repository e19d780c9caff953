import type { KeyActor } from '@commerce-backend/spec';
import sql, { raw, type Sql } from 'sql-template-tag';
import { jsonObject } from '../db/fields.ts';

/** Who acted, in words: a person's name as it is now, or what a key or token was called when it was made. */

/** The name behind `actor_type` and `actor_id` of `e`, a tenant's table; null for guests, the server and who was erased. */
export const actorName: Sql = sql`case e.actor_type
    when 'staff' then coalesce((select a.name from staff a where a.id = e.actor_id),
      (select f.name from former_staff f where f.site_id = e.site_id and f.staff_id = e.actor_id))
    when 'customer' then (select nullif(concat_ws(' ', c.first_name, c.last_name), '') from customers c
      where c.site_id = e.site_id and c.id = e.actor_id)
    when 'guest_agent' then (select p.host from agent_profiles p where p.site_id = e.site_id and p.id = e.actor_id)
    when 'guest' then null
    else (select k.description from tokens k where k.site_id = e.site_id and k.id = e.actor_id) end`;

/** The member of staff or the API key with an id in a column of `t`, a tenant's table; null where none was recorded. */
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
