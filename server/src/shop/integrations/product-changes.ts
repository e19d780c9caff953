/** The log of product changes (`commerce.product_changes`), for clients that keep a copy of the catalogue. */

import type { Product, ProductChange } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { OrNulls } from '../../db/nulls.ts';
import { cursorExpired, ValidationError } from '../errors.ts';
import { productColumns, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

export interface ChangesQuery {
  cursor?: string;
  updated_since?: string;
  limit?: number;
}

export interface ProductChanges {
  changes: ProductChange[];
  next_cursor: string | null;
  resume_cursor: string;
}

/** A position in the log, after the last entry that was read. */
interface Place {
  era: number;
  /** Transaction number. Text, because it may exceed JavaScript's integers. */
  changed_in: string;
  product_id: string;
}

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
const BEGINNING: Place = { era: 0, changed_in: '0', product_id: BEFORE_ALL_IDS };

/**
 * Lists the changes after the cursor. Each product appears once, in its current state. Throws a ValidationError for an
 * invalid cursor, and `cursor_expired`.
 */
export async function listChanges(
  shop: Shop,
  { cursor, updated_since, limit = 100 }: ChangesQuery,
): Promise<ProductChanges> {
  const begin = updated_since ? () => placeOfTime(shop, updated_since) : () => BEGINNING;
  const after = cursor ? placeOf(shop, cursor) : await begin();
  const { rows, horizon } = await readAfter(shop, after, limit + 1);
  const page = rows.slice(0, limit);
  const more = rows.length > limit;
  const resume_cursor = cursorOf((more && page.at(-1)) || horizon);
  return { changes: page.map(changeOf), next_cursor: more ? resume_cursor : null, resume_cursor };
}

interface Entry extends Place {
  changed_at: string;
}

type Row = Entry & OrNulls<Product>;

type Found = { horizon_era: number; horizon_in: string } & OrNulls<Entry> & OrNulls<Product>;

/**
 * Reads log entries up to the horizon, the oldest running transaction. All earlier transactions have ended, so no later
 * commit can add an entry before the horizon. Skips products that were never public.
 */
async function readAfter(shop: Shop, after: Place, limit: number): Promise<{ rows: Row[]; horizon: Place }> {
  const rows = await shop.rows<Found>(
    sql`with horizon as materialized (
        select change_era() as era, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as changed_in
      )
      select h.era as horizon_era, h.changed_in::text as horizon_in, entry.*
      from horizon h left join lateral (
        select c.era, c.changed_in::text as changed_in, c.product_id, c.changed_at, ${productColumns(shop, 'sync', shop.showStock)}
        from product_changes c
        left join products p on p.site_id = c.site_id and p.id = c.product_id and ${visible}
        where c.site_id = ${shop.siteId}
          and (c.era, c.changed_in, c.product_id) > (${after.era}::int, ${after.changed_in}::bigint, ${after.product_id}::uuid)
          and (c.era, c.changed_in) < (h.era, h.changed_in)
          and not exists (
            select from product_changes later
            where later.site_id = c.site_id and later.product_id = c.product_id
              and (later.era, later.changed_in) > (c.era, c.changed_in)
              and (later.era, later.changed_in) < (h.era, h.changed_in))
          and (p.id is not null or c.seen or exists (
            select from product_changes earlier
            where earlier.site_id = c.site_id and earlier.product_id = c.product_id and earlier.seen))
        order by c.era, c.changed_in, c.product_id limit ${limit}
      ) as entry on true`,
  );
  const [first] = rows;
  if (!first) throw new Error('The change log query returned no horizon.');
  const horizon = { era: first.horizon_era, changed_in: first.horizon_in, product_id: BEFORE_ALL_IDS };
  const entries = rows.map(({ horizon_era: _, horizon_in: __, ...entry }) => entry);
  return { rows: entries.filter((entry): entry is Row => entry.product_id !== null), horizon };
}

function changeOf({ era, changed_in, product_id, changed_at, ...columns }: Row): ProductChange {
  const product = columns.id === null ? null : (columns as Product);
  return { product_id, removed: product === null, changed_at, product };
}

/** Returns the position one minute before a time, so that no entry of a slow transaction is missed. */
async function placeOfTime(shop: Shop, moment: string): Promise<Place> {
  const found = await shop.one<Place>(
    sql`select era, changed_in::text as changed_in, ${BEFORE_ALL_IDS} as product_id
      from (
        (select era, changed_in from product_changes
          where site_id = ${shop.siteId} and changed_at >= ${moment}::timestamptz - interval '1 minute'
          order by era, changed_in limit 1)
        union all select change_era(), pg_snapshot_xmin(pg_current_snapshot())::text::bigint
      ) as places order by places.era, places.changed_in limit 1`,
  );
  return found ?? BEGINNING;
}

const CURSOR = /^(\d{1,10})-(\d{1,18})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function placeOf(shop: Shop, cursor: string): Place {
  const [, era, changed_in, product_id] = CURSOR.exec(cursor) ?? [];
  if (era && changed_in && product_id) {
    if (Number(era) !== shop.era) throw cursorExpired();
    return { era: shop.era, changed_in, product_id };
  }
  const msg = 'Invalid cursor. Send the next_cursor of a response unchanged.';
  throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
}

function cursorOf({ era, changed_in, product_id }: Place): string {
  return `${era}-${changed_in}-${product_id}`;
}

/**
 * Logs that a product has become public at its publication time, and notifies webhooks unless an event has reported a
 * change since then.
 */
export async function notePublication(shop: Shop, product_id: string): Promise<void> {
  await shop.run(
    sql`insert into product_changes (site_id, product_id, seen)
      select site_id, id, true from products p
      where p.site_id = ${shop.siteId} and p.id = ${product_id} and ${visible}
      on conflict do nothing`,
  );
  await shop.run(
    sql`select emit_product('product.updated', p) from products p
      where p.site_id = ${shop.siteId} and p.id = ${product_id} and ${visible} and not exists (
        select from events e where e.site_id = p.site_id and e.subject_id = p.id
          and e.type in ('product.created', 'product.updated') and e.created_at >= p.published_at)`,
  );
}
