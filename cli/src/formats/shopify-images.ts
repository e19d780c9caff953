import type { ImageInput } from '@commerce-backend/spec';
import { BOUNDS } from './bounds.ts';
import { quoted } from './row-reader.ts';
import { secure } from './shopify-columns.ts';
import type { ShopifyRow } from './shopify-row.ts';

type Warn = (message: string) => void;

/** The images of a product, in the order of their positions. */
export function imagesOf(rows: ShopifyRow[], warn: Warn): ImageInput[] {
  const images: { url: string; alt: string | null; place: number }[] = [];
  for (const row of rows) {
    const url = pictureIn(row, 'imageUrl', warn);
    // Some programs repeat the image on each row of the product.
    if (url === '' || images.some((image) => image.url === url)) continue;
    images.push({ url, alt: altOf(row, warn), place: row.whole('imagePosition') ?? Infinity });
  }
  const ordered = images.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place));
  return ordered.map(({ url, alt }, index) => ({ url, alt, position: index + 1 }));
}

/** The address of a picture, empty when blank or (with a warning) not one. */
export function pictureIn(row: ShopifyRow, column: 'imageUrl' | 'variantImage', warn: Warn): string {
  const cell = row.text(column);
  const url = secure(cell).replaceAll(' ', '%20');
  if (cell === '' || (/^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url) && url.length <= BOUNDS.url)) return url;
  warn(
    `Line ${row.line}: ${row.header(column)}: ${quoted(cell)} is no http or https address; the picture is left out.`,
  );
  return '';
}

/** Shopify takes a little more than is kept here. */
function altOf(row: ShopifyRow, warn: Warn): string | null {
  const alt = row.text('imageAlt');
  const letters = [...alt];
  if (letters.length <= BOUNDS.alt) return alt || null;
  warn(`Line ${row.line}: ${row.header('imageAlt')} has ${letters.length} characters and is cut to ${BOUNDS.alt}.`);
  return letters.slice(0, BOUNDS.alt).join('').trim();
}
