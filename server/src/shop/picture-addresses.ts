/**
 * Image URLs from merchants must use https or be on the server itself, because browsers show other images with a
 * warning or not at all. URLs that a shop already uses are accepted again.
 */

import type { ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { ValidationError } from './errors.ts';
import type { LinkDeps } from './links.ts';
import type { Shop } from './shop.ts';

type Place = (string | number)[];
type Origins = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** A product, variant or collection in a request, not necessarily validated yet. */
interface Holder {
  image_url?: unknown;
  images?: unknown;
  variants?: unknown;
}

interface Found {
  place: Place;
  address: string;
}

/** Origins from which images do not need https. */
export function ownOrigins(shop: Shop, { baseUrl, hosts }: Origins): string[] {
  return [baseUrl, ...hosts.originsOf(shop.siteId)];
}

/** Throws a ValidationError for image URLs without https. `field` is the path of `image_url` in the request body. */
export async function refuseInsecure(shop: Shop, deps: Origins, holder: Holder, field = 'image_url'): Promise<void> {
  const insecure = await insecurePictures(shop, ownOrigins(shop, deps), [holder]);
  const mistakes = pictureMistakes(insecure, holder, ['body'], field);
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/** The http image URLs that are at none of the `own` origins and that the shop does not use yet. */
export async function insecurePictures(shop: Shop, own: string[], holders: unknown[]): Promise<Set<string>> {
  const named = holders.flatMap((holder) => picturesIn(holder)).map(({ address }) => address);
  const insecure = named.filter((address) => /^http:/i.test(address) && !own.some((origin) => isAt(origin, address)));
  if (insecure.length === 0) return new Set();
  const rows = await shop.rows<{ address: string }>(
    sql`select address from unnest(${[...new Set(insecure)]}::text[]) as given (address)
      where address not in (select url from product_images where site_id = ${shop.siteId})
        and not exists (select from variants where site_id = ${shop.siteId} and image_url = address)
        and not exists (select from collections where site_id = ${shop.siteId} and image_url = address)`,
  );
  return new Set(rows.map(({ address }) => address));
}

function isAt(origin: string, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === origin;
}

/** Reports each path with an insecure image URL. */
export function pictureMistakes(
  insecure: Set<string>,
  holder: unknown,
  loc: Place,
  field = 'image_url',
): ValidationErrorItem[] {
  if (insecure.size === 0) return [];
  return picturesIn(holder, field)
    .filter(({ address }) => insecure.has(address))
    .slice(0, 50)
    .map(({ place }) => ({ loc: [...loc, ...place], msg: 'Send an https address.', type: 'value_error' }));
}

/**
 * Changes image URLs in a row of an import from http to https, each with a warning. Old export files often use http for
 * images that https also serves.
 */
export function withSecurePictures(insecure: Set<string>, row: unknown, loc: Place) {
  const warnings: ValidationErrorItem[] = pictureMistakes(insecure, row, loc).map((mistake) => ({
    ...mistake,
    msg: 'The address was changed from http to https. Check that the image loads.',
    type: 'insecure_picture',
  }));
  if (warnings.length === 0) return { row, warnings };
  const { image_url, images, variants } = row as Holder;
  const secured = (address: unknown) =>
    typeof address === 'string' && insecure.has(address) ? address.replace(/^http:/i, 'https:') : address;
  const each = (list: unknown, name: 'url' | 'image_url') =>
    Array.isArray(list)
      ? list.map((one: unknown) => (isObject(one) && name in one ? { ...one, [name]: secured(one[name]) } : one))
      : list;
  return {
    row: {
      ...(row as Holder),
      ...(image_url !== undefined && { image_url: secured(image_url) }),
      ...(images !== undefined && { images: each(images, 'url') }),
      ...(variants !== undefined && { variants: each(variants, 'image_url') }),
    },
    warnings,
  };
}

function picturesIn(holder: unknown, field = 'image_url'): Found[] {
  if (typeof holder !== 'object' || holder === null) return [];
  const { image_url, images, variants } = holder as Holder;
  const fields = (list: unknown, of: string, name: 'url' | 'image_url'): Found[] =>
    Array.isArray(list)
      ? list.flatMap((one: Record<string, unknown> | null, i) => textAt(one?.[name], [of, i, name]))
      : [];
  return [
    ...textAt(image_url, [field]),
    ...fields(images, 'images', 'url'),
    ...fields(variants, 'variants', 'image_url'),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textAt(value: unknown, place: Place): Found[] {
  return typeof value === 'string' ? [{ place, address: value }] : [];
}
