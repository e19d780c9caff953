import { CAMPAIGN } from '../../shop/attribution.ts';

/**
 * A link to buy, in the format of UCP's permalinks: `/buy/{id}:{quantity},…?discounts/codes/0=…`. Anyone can create one: unknown
 * parts are dropped, and it names neither the buyer nor a delivery address.
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

/** Reads a link. Returns undefined if its items cannot be read. */
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

/** Reads an id, plain or in canonical base64url: of its text, as UCP writes it, or of its 16 bytes, as agents get it. */
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

/** The parameters by their names without the leading slash. A repeated one is ambiguous, and is ignored. */
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

/** The path of the page for a link, rebuilt from the parsed values. */
export function pathOf(site_id: string, { lines, code, attribution }: BuyLink): string {
  const items = lines.map(({ variant_id, quantity }) => `${variant_id}:${quantity}`).join(',');
  const query = new URLSearchParams({ ...(code && { 'discounts/codes/0': code }), ...attribution });
  return `/sites/${site_id}/basket/${items}${query.size > 0 ? `?${query}` : ''}`;
}
