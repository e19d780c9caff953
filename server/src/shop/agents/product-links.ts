import type { Product, Variant } from '@commerce-backend/spec';
import { LRUCache } from 'lru-cache';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { LinkDeps } from '../links.ts';
import type { Shop } from '../shop.ts';

/** Returns the URL of a page that sells a variant, or at least shows it. */
export type UrlOf = (product: Pick<Product, 'id' | 'slug'>, variant: Pick<Variant, 'id'>) => string;

/**
 * Entries do not become outdated: the key contains the catalogue version, which each change of the settings increments.
 */
const templates = new LRUCache<string, { template: string | null }>({ max: 10_000 });

/**
 * Returns a function that builds product URLs: from the shop's template, or as links to its hosted buy page. Reads the
 * template once for each catalogue version.
 */
export async function readUrls(shop: Shop, { baseUrl, hosts }: Pick<LinkDeps, 'baseUrl' | 'hosts'>): Promise<UrlOf> {
  const template = await readTemplate(shop);
  const address = hosts.addressOf(shop.siteId);
  // Paths on the shop's own host do not contain the site id.
  const pages = address === baseUrl ? pagesOfSite(address, shop.siteId) : address;
  return urlsBy(template, pages);
}

async function readTemplate(shop: Shop): Promise<string | null> {
  const { siteId, catalogVersion } = shop;
  const key = `${siteId} ${catalogVersion}`;
  const known = templates.get(key);
  if (known) return known.template;
  const settings = await shop.one<RowOf<'site_settings', 'product_url_template'>>(
    sql`select product_url_template from site_settings where site_id = ${siteId}`,
  );
  const template = settings?.product_url_template ?? null;
  if (catalogVersion !== '') templates.set(key, { template });
  return template;
}

/** Like `readUrls`, with a template that the caller has read. */
export function urlsBy(template: string | null, pages: string): UrlOf {
  if (template === null) return (_product, { id }) => `${pages}/buy/${shortId(id)}:1`;
  return ({ id, slug }) => template.replace('{slug}', () => encodeURIComponent(slug)).replace('{id}', () => id);
}

export function pagesOfSite(address: string, site_id: string): string {
  return `${address}/sites/${shortId(site_id)}`;
}

/** Shortens a UUID for buy links, because each character of a response costs tokens. */
function shortId(id: string): string {
  return `~${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
}

/** Image width in pixels for agents. */
const WIDTH = 320;

/** Returns the image of the variant, or the product's first one, with a width of 320 pixels if available. */
export function imageUrlOf({ images }: Pick<Product, 'images'>, variant?: Pick<Variant, 'image_url'>): string | null {
  const own = variant?.image_url;
  const image = images.find(({ url }) => url === own) ?? (own ? undefined : images[0]);
  const small = image?.sources?.find(({ width }) => width === WIDTH) ?? image?.sources?.[0];
  return small?.url ?? image?.url ?? own ?? null;
}
