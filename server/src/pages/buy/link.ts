import { CAMPAIGN } from '../../shop/attribution.ts';

/**
 * A buy link in the format of UCP's permalinks: `/buy/{id}:{quantity},…?discounts/codes/0=…`. Anyone can create one, so
 * unknown parts are ignored, and it contains neither the buyer nor a delivery address.
 */
export interface BuyLink {
  lines: { variant_id: string; quantity: number }[];
  code: string | undefined;
  attribution: Record<string, string>;
}

const MOST_LINES = 20;
const MOST_OF_ONE = 999;
const ITEM = /^(~[A-Za-z0-9_-]+|[A-Za-z0-9._-]+):([1-9]\d{0,2})$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Parses a buy link. Returns undefined if its items are malformed or too many. */
export function readLink(items: string, query: string): BuyLink | undefined {
  const pairs = items.split(',');
  if (pairs.length > MOST_LINES) return undefined;
  const wanted = new Map<string, number>();
  for (const pair of pairs) {
    const [, token = '', quantity = ''] = ITEM.exec(pair) ?? [];
    const id = idIn(token);
    if (id === undefined) return undefined;
    wanted.set(id, Math.min(MOST_OF_ONE, (wanted.get(id) ?? 0) + Number(quantity)));
  }
  const given = onlyOnce(query);
  const lines = [...wanted].map(([variant_id, quantity]) => ({ variant_id, quantity }));
  const code = textIn(given.get('discounts/codes/0'), 64);
  const named = CAMPAIGN.flatMap((name) => {
    const said = textIn(given.get(`attribution/${name}`) ?? given.get(name), 255);
    return said ? [[name, said]] : [];
  });
  return { lines, code, attribution: Object.fromEntries(named) as Record<string, string> };
}

/**
 * Parses an id: a UUID, or `~` and base64url in canonical form. The base64url encodes the text of the UUID, as in UCP,
 * or its 16 bytes, as in the links for agents.
 */
export function idIn(token: string): string | undefined {
  const id = token.startsWith('~') ? decoded(token.slice(1)) : token;
  return id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined;
}

function decoded(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return undefined;
  return bytes.length === 16
    ? bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    : bytes.toString();
}

/**
 * Query parameters by name, without a leading slash in the name. A repeated parameter is ambiguous, so it is ignored.
 */
function onlyOnce(query: string): Map<string, string> {
  const given = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const pointer = name.replace(/^\//, '');
    if (given.has(pointer)) twice.add(pointer);
    given.set(pointer, value);
  }
  for (const name of twice) given.delete(name);
  return given;
}

function textIn(value: string | undefined, most: number): string | undefined {
  const text = value?.trim();
  return text && text.length <= most && !/[\p{Cc}\p{Cs}]/u.test(text) ? text : undefined;
}

/** The page's path, built from the parsed values. */
export function pathOf(site_id: string, { lines, code, attribution }: BuyLink): string {
  const items = lines.map(({ variant_id, quantity }) => `${variant_id}:${quantity}`).join(',');
  const query = new URLSearchParams({ ...(code && { 'discounts/codes/0': code }), ...attribution });
  return `/sites/${site_id}/basket/${items}${query.size > 0 ? `?${query}` : ''}`;
}
