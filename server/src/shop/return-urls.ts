/** Return URLs of a shop. Only the shop's origins are allowed. */

import sql from 'sql-template-tag';
import { bodyMistake, ValidationError } from './errors.ts';
import type { LinkDeps } from './links.ts';
import type { Shop } from './shop.ts';

export interface ReturnRules {
  site_id: string;
  storefront_url: string | null;
  allowed_origins: string[];
}

type JudgeDeps = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

const LONGEST = 2048;

/**
 * Normalizes a return URL as browsers do; undefined if it is not allowed. It must have https (or http on localhost if
 * the server has no https), an origin of the shop, and no parts that parsers interpret differently.
 */
export function safeReturnUrl(
  text: string,
  { site_id, storefront_url, allowed_origins }: ReturnRules,
  { baseUrl, hosts }: JudgeDeps,
): string | undefined {
  const url = safeUrl(text, baseUrl);
  if (!url) return undefined;
  const own = storefront_url ? safeUrl(storefront_url, baseUrl)?.origin : undefined;
  const allowed = [own, ...allowed_origins, ...hosts.originsOf(site_id)];
  return allowed.includes(url.origin) ? url.href : undefined;
}

/** Returns a URL to which a redirect is safe, at any origin; undefined for other text. */
export function safeUrl(text: string, baseUrl: string): URL | undefined {
  if (text.length > LONGEST || /[\p{C}\s\\]/u.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && url.hostname === 'localhost' && !baseUrl.startsWith('https:');
  if (url.protocol !== 'https:' && !isLocal) return undefined;
  // The URL parser drops an empty user name, so it is checked in the text.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || authority.includes('@')) return undefined;
  // Browsers read an encoded or numeric host differently from people.
  const host = authority.replace(/:\d*$/, '').toLowerCase();
  if (/^[ -~]*$/.test(host) && host !== url.hostname) return undefined;
  return url.href.length <= LONGEST ? url : undefined;
}

/** Adds only the order's id to a URL. Links with secrets and personal data must not reach another site. */
export function withOrder(href: string, order_id: string): string {
  const url = new URL(href);
  url.searchParams.set('order_id', order_id);
  return url.href;
}

interface ReturnUrls {
  return_url?: string | null | undefined;
  cancel_url?: string | null | undefined;
}

/** Normalizes return URLs. Throws a ValidationError for the field of one that is not allowed. */
export async function judgeReturnUrls(shop: Shop, deps: JudgeDeps, given: ReturnUrls): Promise<ReturnUrls> {
  const named = (['return_url', 'cancel_url'] as const).filter((name) => given[name]);
  if (named.length === 0) return given;
  const rules = await readReturnRules(shop);
  const judged = named.map((name) => ({ name, href: safeReturnUrl(given[name] ?? '', rules, deps) }));
  const refused = judged.filter(({ href }) => href === undefined);
  if (refused.length > 0)
    throw new ValidationError(refused.map(({ name }) => bodyMistake([name], 'value_error', RETURN_URL_REMEDY)));
  return { ...given, ...Object.fromEntries(judged.map(({ name, href }) => [name, href])) };
}

export const RETURN_URL_REMEDY =
  'Send an https address without user name, whose origin is that of settings.storefront_url or of a host of the shop, or ' +
  'is listed in settings.allowed_origins.';

async function readReturnRules(shop: Shop): Promise<ReturnRules> {
  const found = await shop.one<ReturnRules>(
    sql`select t.site_id, t.storefront_url, s.allowed_origins from site_settings t join sites s using (site_id)
      where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}
