import type { ProductImport } from '@commerce-backend/spec';
import { BOUNDS } from './bounds.ts';
import { htmlOfText, textOfHtml } from './html-text.ts';
import { type ShopifyColumn, TEXT_COLUMNS, TEXT_PROPERTIES, tagsOf } from './shopify-columns.ts';
import { imagesOf, pictureIn } from './shopify-images.ts';
import { type ExtraColumns, metadataOf } from './shopify-metadata.ts';
import { headOf, orWarn, type ShopifyRow, type Warn } from './shopify-row.ts';
import { isDefaultOnly, optionsOf, soldOf, variantRowsOf, variantsOf, warnOfNoVariant } from './shopify-variants.ts';

/**
 * Converts the rows of a handle to a product. Cells that are invalid and must not be guessed are recorded as errors of
 * their row.
 */
export function productOf(rows: ShopifyRow[], slug: string, extra: ExtraColumns, warn: Warn): ProductImport {
  const head = headOf(rows);
  const variantRows = variantRowsOf(rows);
  const [only] = variantRows as [ShopifyRow];
  const images = imagesOf(rows, warn);
  warnOfOtherTexts(rows, warn);
  warnOfNoVariant(rows, variantRows, warn);
  const isAlone = isDefaultOnly(variantRows);
  const own = isAlone ? pictureIn(only, 'variantImage', warn) : '';
  if (own !== '' && !images.some(({ url }) => url === own) && images.length < BOUNDS.images) {
    images.push({ url: own, alt: null, position: images.length + 1 });
  }
  const fitted = (column: ShopifyColumn, most: number) =>
    cut(head.text(column), most, `${head.header(column)}: the text`, warn) || null;
  return {
    name: fitted('title', BOUNDS.name) ?? '',
    slug,
    ...(head.has('body') && descriptionOf(head, warn)),
    ...Object.fromEntries(
      TEXT_PROPERTIES.filter((property) => head.has(TEXT_COLUMNS[property])).map((property) => [
        property,
        fitted(TEXT_COLUMNS[property], BOUNDS[property]),
      ]),
    ),
    ...metadataOf(rows, extra, warn),
    ...(head.has('tags') && { tags: tagsIn(head, warn) }),
    ...visibilityOf(head, warn),
    ...trackingOf(variantRows),
    ...taxabilityOf(variantRows, warn),
    ...((head.has('imageUrl') || images.length > 0) && { images }),
    ...(isAlone
      ? soldOf(only, warn)
      : { options: optionsOf(rows, variantRows, warn), variants: variantsOf(variantRows, warn) }),
  };
}

const TAG = /<[a-z!/]/i;
/** Matches the data of images embedded in HTML, which is removed if the HTML is too long for the contract. */
const EMBEDDED = /\ssrc=(?:"data:[^"]*"|'data:[^']*')/gi;

/** HTML if the cell contains any markup; the server derives the plain text. */
function descriptionOf(row: ShopifyRow, warn: Warn): Pick<ProductImport, 'description' | 'description_html'> {
  const body = row.text('body');
  const what = `${row.header('body')}: the text`;
  const text = textOfHtml(body);
  if (!TAG.test(body)) return { description: cut(text, BOUNDS.description, what, warn), description_html: null };
  const most = BOUNDS.description_html;
  const html = body.length > most ? body.replace(EMBEDDED, '') : body;
  if (html.length < body.length) warn(`${row.header('body')}: pictures embedded in the HTML are left out.`);
  const description = cut(text, BOUNDS.description, what, warn);
  if (html.length <= most) return { ...(description !== text && { description }), description_html: html };
  const words = `the HTML has ${html.length} characters, at most ${most} are kept: only its text is imported.`;
  warn(`${row.header('body')}: ${words}`);
  return { description, description_html: htmlOfText(description).length <= most ? htmlOfText(description) : null };
}

function tagsIn(row: ShopifyRow, warn: Warn): string[] {
  const header = row.header('tags');
  const tags = tagsOf(row.text('tags')).map((tag) => cut(tag, BOUNDS.tag, `${header}: a tag`, warn));
  const own = [...new Set(tags)];
  if (own.length > BOUNDS.tags) warn(`${header}: there are ${own.length} tags; the first ${BOUNDS.tags} are kept.`);
  return own.slice(0, BOUNDS.tags);
}

function cut(text: string, most: number, what: string, warn: Warn): string {
  if (text.length <= most) return text;
  const letters = [...text];
  if (letters.length <= most) return text;
  warn(`${what} has ${letters.length} characters and is cut to ${most}.`);
  return letters.slice(0, most).join('').trim();
}

const STATUSES = { active: 'active', draft: 'draft', archived: 'archived', unlisted: 'unlisted' } as const;

/** Combines Shopify's status and "Published". An active product may be missing from the online store. */
function visibilityOf(row: ShopifyRow, warn: Warn): Pick<ProductImport, 'status' | 'published_at'> {
  const published = orDraft(row, warn, () => row.flag('published'));
  const status = orDraft(row, warn, () => row.word('status', STATUSES));
  if (published === null || status === null) return { status: 'draft' };
  if (status === 'unlisted') {
    warn(`${row.header('status')}: unlisted products are not known here; it becomes a draft.`);
    return { status: 'draft' };
  }
  if (status === 'active') return published === false ? { status, published_at: null } : { status };
  if (status !== undefined) return { status };
  if (!row.has('published') && !row.has('status')) return {};
  return { status: published === false ? 'draft' : 'active' };
}

/** Null with a warning if the status is invalid, so that the product is not published by mistake. */
function orDraft<Value>(row: ShopifyRow, warn: Warn, read: () => Value | undefined): Value | undefined | null {
  const before = row.errors.length;
  const value = read();
  const unread = row.errors.splice(before);
  for (const { field, message } of unread) warn(`${field}: ${message} The product becomes a draft.`, row);
  return unread.length > 0 ? null : value;
}

/** Stock is tracked per product in the contract: for all variants if Shopify tracks at least one. */
function trackingOf(variantRows: ShopifyRow[]): Pick<ProductImport, 'track_inventory'> {
  if (!variantRows[0]?.has('tracker')) return {};
  return { track_inventory: variantRows.some((row) => row.text('tracker') !== '') };
}

/** The product is untaxed only if the file marks all of its variants as untaxed. */
function taxabilityOf(variantRows: ShopifyRow[], warn: Warn): Pick<ProductImport, 'taxable'> {
  const flags = variantRows.map((row) => orWarn(row, warn, () => row.flag('taxable')));
  const untaxed = variantRows.filter((_row, i) => flags[i] === false);
  const [first] = untaxed;
  if (first && untaxed.length === variantRows.length) return { taxable: false };
  if (first) {
    const rest = `${untaxed.length} of ${variantRows.length} variants are not taxed; tax classes are those of whole products here`;
    warn(`${first.header('taxable')}: ${rest}, and all of it is taxed.`, first);
  }
  return flags.some((flag) => flag !== undefined) ? { taxable: true } : {};
}

const SAID_ONCE = [
  ...(['title', 'body', 'tags', 'category'] as const),
  ...Object.values(TEXT_COLUMNS),
  ...(['status', 'published', 'giftCard'] as const),
];

/**
 * Warns if a row without the title has different texts for the product. Only the texts in the row with the title are
 * imported.
 */
function warnOfOtherTexts(rows: ShopifyRow[], warn: Warn): void {
  const head = headOf(rows);
  for (const column of SAID_ONCE) {
    const other = rows.find((row) => row.text(column) !== '' && row.text(column) !== head.text(column));
    if (other) warn(`${other.header(column)} differs from that of the product itself, and is left out.`, other);
  }
}
