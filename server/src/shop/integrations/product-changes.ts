import type { Product, ProductChange } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { OrNulls } from '../../db/nulls.ts';
import { ValidationError } from '../errors.ts';
import { productColumns, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

/** The log of product changes (`commerce.product_changes`), read by whoever keeps a copy of the catalogue. */

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

/** A place in the log: what comes after it is still to be read. */
interface Place {
  era: number;
  /** The number of a transaction, as text: it may be larger than a JavaScript integer. */
  changed_in: string;
  product_id: string;
}

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
const BEGINNING: Place = { era: 0, changed_in: '0', product_id: BEFORE_ALL_IDS };

/**
 * What changed after the cursor, each product once, at its last change, and as it is now. Throws a ValidationError for a cursor
 * that we did not make.
 */
export async function listChanges(
  shop: Shop,
  { cursor, updated_since, limit = 100 }: ChangesQuery,
): Promise<ProductChanges> {
  const begin = updated_since ? () => placeOfTime(shop, updated_since) : () => BEGINNING;
  const after = cursor ? placeOf(cursor) : await begin();
  const { rows, horizon } = await readAfter(shop, after, limit + 1);
  const page = rows.slice(0, limit);
  const more = rows.length > limit;
  const resume_cursor = cursorOf((more && page.at(-1)) || horizon);
  return { changes: page.map(changeOf), next_cursor: more ? resume_cursor : null, resume_cursor };
}

interface Entry extends Place {
  changed_at: string;
}

/** With the columns of the product, which are null when customers do not see it. */
type Row = Entry & OrNulls<Product>;

/** With the horizon, which comes without an entry where nothing has changed. */
type Found = { horizon_era: number; horizon_in: string } & OrNulls<Entry> & OrNulls<Product>;

/**
 * The horizon is the oldest transaction that still runs: whatever began before it has ended, so the log is complete up to
 * there, and a cursor before it misses nothing that commits late. Entries of products that customers never saw are skipped.
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
  if (!first) throw new Error('The horizon of the log is gone.');
  const horizon = { era: first.horizon_era, changed_in: first.horizon_in, product_id: BEFORE_ALL_IDS };
  const entries = rows.map(({ horizon_era: _, horizon_in: __, ...entry }) => entry);
  return { rows: entries.filter((entry): entry is Row => entry.product_id !== null), horizon };
}

function changeOf({ era, changed_in, product_id, changed_at, ...columns }: Row): ProductChange {
  const product = columns.id === null ? null : (columns as Product);
  return { product_id, removed: product === null, changed_at, product };
}

/**
 * The place before all that was written at that time or later, or up to a minute before, so that an entry is not missed because
 * its transaction took a while to commit.
 */
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

const CURSOR = /^(\d{1,9})-(\d{1,18})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function placeOf(cursor: string): Place {
  const [, era, changed_in, product_id] = CURSOR.exec(cursor) ?? [];
  if (era && changed_in && product_id) return { era: Number(era), changed_in, product_id };
  const msg = 'This cursor is not valid. Send next_cursor of an answer unchanged.';
  throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
}

function cursorOf({ era, changed_in, product_id }: Place): string {
  return `${era}-${changed_in}-${product_id}`;
}

/**
 * Records in the log, and sends to the webhooks, that a product has become visible by itself, at its publication time. If it
 * was changed since then, the webhooks know already.
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
