import { ValidationError } from '../errors.ts';

export const SITE_ORDERS = [
  'name',
  'created',
  'products',
  'orders',
  'last_order',
  'storage',
  'calls',
  'health',
] as const;
export type SiteOrder = (typeof SITE_ORDERS)[number];

/** A site with its sort key. Key and id together are unique. */
export interface Placed<Site extends { site_id: string }> {
  site: Site;
  key: string | number;
}

type Place = Pick<Placed<{ site_id: string }>, 'key'> & { site: { site_id: string } };

/** Sorts names in ascending order, everything else in descending order. */
export function placeInOrder<One extends Place>(placed: One[], order: SiteOrder): One[] {
  return placed.sort((a, b) => compare(a, b, order));
}

/** A cursor has at most 512 characters, and a name may be longer. */
const KEPT_OF_NAME = 40;

/** Returns a cursor for the position after a site. The cursor stays valid if the order of the sites changes. */
export function cursorAfter({ key, site }: Place, order: SiteOrder): string {
  return Buffer.from(JSON.stringify([order, cut(key), site.site_id])).toString('base64url');
}

/** Returns the index after the cursor. Throws a ValidationError for an invalid cursor or one of another sort order. */
export function afterCursor(placed: Place[], order: SiteOrder, cursor: string): number {
  const [of, key, site_id] = parsed(cursor);
  const ok = of === order && typeof site_id === 'string' && (typeof key === 'string' || typeof key === 'number');
  if (!ok) {
    const msg = 'Invalid cursor. Send the next_cursor of a response unchanged, with the same sort.';
    throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
  }
  const same = placed.find(({ site }) => site.site_id === site_id);
  // Uses the current name if it still begins with the part in the cursor.
  const last = same && cut(same.key) === key ? same : { key, site: { site_id } };
  const next = placed.findIndex((one) => compare(one, last, order) > 0);
  return next === -1 ? placed.length : next;
}

function cut(key: string | number): string | number {
  return typeof key === 'string' ? [...key].slice(0, KEPT_OF_NAME).join('') : key;
}

function parsed(cursor: string): unknown[] {
  try {
    const found: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Several times as fast as localeCompare. */
const BY_NAME = new Intl.Collator();

function compare(a: Place, b: Place, order: SiteOrder): number {
  const by = order === 'name' ? BY_NAME.compare(String(a.key), String(b.key)) : downwards(a.key, b.key);
  return by || (a.site.site_id < b.site.site_id ? -1 : Number(a.site.site_id > b.site.site_id));
}

function downwards(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}
