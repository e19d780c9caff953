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

/** A site with what decides its place: the key of the order, and then its id, so that no two have the same place. */
export interface Placed<Site extends { site_id: string }> {
  site: Site;
  key: string | number;
}

type Place = Pick<Placed<{ site_id: string }>, 'key'> & { site: { site_id: string } };

/** Names upwards, everything else from the newest or the most down. */
export function placeInOrder<One extends Place>(placed: One[], order: SiteOrder): One[] {
  return placed.sort((a, b) => compare(a, b, order));
}

/** A cursor holds 512 characters, and a name may be longer. */
const KEPT_OF_NAME = 40;

/** Points behind a site, wherever others come to stand meanwhile. */
export function cursorAfter({ key, site }: Place, order: SiteOrder): string {
  return Buffer.from(JSON.stringify([order, cut(key), site.site_id])).toString('base64url');
}

/** How many come before what the cursor points at. Throws ValidationError for a cursor that is not one of this order. */
export function afterCursor(placed: Place[], order: SiteOrder, cursor: string): number {
  const [of, key, site_id] = parsed(cursor);
  const ok = of === order && typeof site_id === 'string' && (typeof key === 'string' || typeof key === 'number');
  if (!ok) {
    const msg = 'This cursor is not valid. Send next_cursor of an answer unchanged, with the same sort.';
    throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
  }
  const same = placed.find(({ site }) => site.site_id === site_id);
  // The whole name, if that is still how it begins.
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

/** As localeCompare, which takes several times as long. */
const BY_NAME = new Intl.Collator();

function compare(a: Place, b: Place, order: SiteOrder): number {
  const by = order === 'name' ? BY_NAME.compare(String(a.key), String(b.key)) : downwards(a.key, b.key);
  return by || (a.site.site_id < b.site.site_id ? -1 : Number(a.site.site_id > b.site.site_id));
}

function downwards(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}
