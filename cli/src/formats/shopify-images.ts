import type { ImageInput } from '@commerce-backend/spec';
import { BOUNDS } from './bounds.ts';
import { quoted } from './row-reader.ts';
import { secure } from './shopify-columns.ts';
import { orWarn, type ShopifyRow, type Warn } from './shopify-row.ts';

/** A product's images, ordered by position. */
export function imagesOf(rows: ShopifyRow[], warn: Warn): ImageInput[] {
  const images: { url: string; alt: string | null; place: number }[] = [];
  for (const row of rows) {
    const [url = '', ...more] = picturesIn(row, warn);
    if (url === '') {
      for (const column of ['imageAlt', 'imagePosition'] as const) {
        if (row.text(column) !== '') warn(`${row.header(column)}: there is no picture that it is about.`, row);
      }
      continue;
    }
    const alt = altOf(row, warn);
    // Some programs repeat the image in each row of the product.
    const same = images.find((image) => image.url === url);
    if (same && alt !== null && alt !== same.alt) {
      warn(`${row.header('imageAlt')}: the same picture has another text above, and this one is left out.`, row);
    }
    if (!same) images.push({ url, alt, place: orWarn(row, warn, () => row.whole('imagePosition')) ?? Infinity });
    for (const one of more) {
      if (!images.some((image) => image.url === one)) images.push({ url: one, alt: null, place: Infinity });
    }
  }
  const ordered = images.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place));
  if (ordered.length > BOUNDS.images) {
    warn(`There are ${ordered.length} pictures; the first ${BOUNDS.images} are kept, the others are left out.`);
  }
  return ordered.slice(0, BOUNDS.images).map(({ url, alt }, index) => ({ url, alt, position: index + 1 }));
}

/** The URLs in an image cell. Shopify writes one, other programs several. */
function picturesIn(row: ShopifyRow, warn: Warn): string[] {
  const cells = row.text('imageUrl').split(/[,;|\s](?=(?:https?:)?\/\/)/i);
  const last = cells.length - 1;
  // Separators may have spaces on both sides.
  const urls = cells.map((cell, at) => (at === last ? cell : cell.trim().replace(/[,;|]$/, '')).trim());
  return urls.map((url) => pictureIn(row, 'imageUrl', warn, url)).filter((url) => url !== '');
}

/**
 * Parses an image URL. Empty if the cell is blank or, with a warning, invalid. `cell` is the text if it is only a part
 * of the cell.
 */
export function pictureIn(
  row: ShopifyRow,
  column: 'imageUrl' | 'variantImage',
  warn: Warn,
  cell = row.text(column),
): string {
  const url = secure(cell).replaceAll(' ', '%20');
  if (cell === '' || (/^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url) && url.length <= BOUNDS.url)) return url;
  warn(`${row.header(column)}: ${quoted(cell)} is no http or https address; the picture is left out.`, row);
  return '';
}

/** Shortens an alt text, because Shopify allows slightly more characters than the contract. */
function altOf(row: ShopifyRow, warn: Warn): string | null {
  const alt = row.text('imageAlt');
  const letters = [...alt];
  if (letters.length <= BOUNDS.alt) return alt || null;
  warn(`${row.header('imageAlt')} has ${letters.length} characters and is cut to ${BOUNDS.alt}.`, row);
  return letters.slice(0, BOUNDS.alt).join('').trim();
}
