import type { ImageInput, ProductImport, VariantInput, WeightUnit } from '@commerce-backend/spec';
import { decimalsOf, readMoney } from './amounts.ts';
import { BOUNDS } from './bounds.ts';
import { isMore } from './decimals.ts';
import { type Fact, metadataFrom, warningOf } from './facts.ts';
import { textOfHtml } from './html-text.ts';
import { judged } from './judge.ts';
import { KeyTable } from './key-table.ts';
import type { FeedItem } from './merchant-items.ts';
import type { Read, ReadContext } from './reading.ts';
import { type FieldError, quoted } from './row-reader.ts';
import { slugOf } from './slug.ts';

/** Attributes that can distinguish items of a group, and the option's name for each. */
const OPTIONS = { color: 'Colour', size: 'Size', material: 'Material', pattern: 'Pattern' } as const;

/** Attributes that become fields of the product or variant. Others, except options, become metadata. */
const FIELDS = new Set(
  (
    'id title description link image_link additional_image_link availability price sale_price brand gtin product_type ' +
    'google_product_category shipping_weight cost_of_goods_sold sale_price_effective_date'
  ).split(' '),
);

const FIELD_OF: Record<string, string> = {
  name: 'title',
  slug: 'link',
  description_html: 'description',
  vendor: 'brand',
  url: 'image_link',
  alt: 'image_link',
  images: 'additional_image_link',
  image_url: 'image_link',
  sku: 'id',
  barcode: 'gtin',
  compare_at_price: 'price',
  cost_per_item: 'cost_of_goods_sold',
  weight: 'shipping_weight',
  metadata: 'google_product_category',
  option1: 'item_group_id',
  option2: 'item_group_id',
  option3: 'item_group_id',
};

/** Reads products from a Google Merchant feed. Items with the same item_group_id become variants of one product. */
export async function* readMerchantFeed(items: AsyncIterable<FeedItem>, context: ReadContext): AsyncGenerator<Read> {
  const groups = new Map<string, FeedItem[]>();
  let number = 0;
  for await (const item of items) {
    if (item.problem !== undefined) {
      yield { line: item.line, errors: [{ line: item.line, field: 'row', message: item.problem }] };
      continue;
    }
    const group = one(item, 'item_group_id');
    const key = group ? `group ${group}` : `item ${number++}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const linked = [...groups.values()].flat().filter((item) => one(item, 'link') !== '');
  const [first] = linked;
  if (first) {
    const words = 'the address in the old shop is not kept, only its last part, as the slug';
    const others = linked.length > 1 ? `; ${linked.length} items have one, this is the first` : '';
    context.warn(first.line, `link: ${words}${others}.`);
  }
  const slugs = new KeyTable();
  const all = [...groups.values()].flat();
  const currency = all.map(currencyOf).find(Boolean);
  const attributes = new Set(all.flatMap(({ values }) => [...values.keys()]));
  for (const group of groups.values()) yield productOf(group, { currency, attributes, context }, slugs);
}

/** The currency and the attributes of the whole feed. */
interface Feed {
  currency: string | undefined;
  /** Attributes that at least one item has. Feeds omit attributes without a value. */
  attributes: Set<string>;
  context: ReadContext;
}

/** The currency in an item's price; undefined if there is none. */
function currencyOf(item: FeedItem): string | undefined {
  return /^[A-Z]{3}(?=[\s\d])|(?<=[\s\d])[A-Z]{3}$/.exec(one(item, 'price'))?.[0];
}

/**
 * Rejects a product whose currency differs from the feed's, because all amounts are imported in the shop's currency.
 */
function refuseOtherCurrency(items: FeedItem[], currency: string | undefined, errors: FieldError[]): void {
  for (const item of items) {
    const own = currencyOf(item);
    if (own === undefined || own === currency) continue;
    const message = `It is in ${own}, and the prices before it in ${currency}: make a feed of one currency.`;
    errors.push({ line: item.line, field: 'price', message });
  }
}

function one(item: FeedItem, name: string): string {
  return item.values.get(name)?.[0] ?? '';
}

function productOf(items: FeedItem[], feed: Feed, slugs: KeyTable): Read {
  const { currency, context } = feed;
  const [first] = items as [FeedItem];
  const errors: FieldError[] = [];
  const slug = slugOf(lastSegment(one(first, 'link')).replace(/\.(?:html?|aspx|php)$/i, '') || one(first, 'title'));
  const warn = (item: FeedItem, message: string) => {
    context.warn(item.line, warningOf(message, slug, one(item, 'id')));
  };
  const options = items.length > 1 ? optionsOf(items) : [];
  warnOfDiffering(items, warn);
  refuseOtherCurrency(items, currency, errors);
  const isTracked = items.some((item) => stockOf(item) === 'out');
  const decimals = currency === undefined ? context.decimals : decimalsOf(currency);
  const sold = items.map(
    (item): VariantInput => ({ ...soldOf(item, decimals, errors, warn, feed), ...policyOf(item, isTracked) }),
  );
  const html = one(first, 'description');
  const hasTags = /<[a-z!/]/i.test(html) && html.length <= BOUNDS.description_html;
  const product: ProductImport = {
    name: one(first, 'title'),
    slug,
    ...(hasTags ? { description_html: html } : { description: textOfHtml(html), description_html: null }),
    vendor: one(first, 'brand') || null,
    product_type: typeOf(first),
    status: 'active',
    track_inventory: isTracked,
    images: imagesOf(items),
    metadata: metadataOf(items, options, warn),
    ...(items.length > 1
      ? {
          options: options.map(({ name, attribute }) => ({
            name,
            values: [...new Set(items.map((item) => one(item, attribute)))].filter(Boolean),
          })),
          variants: items.map((item, at) => ({
            ...sold[at],
            ...Object.fromEntries(options.map(({ attribute }, i) => [`option${i + 1}`, one(item, attribute) || null])),
            image_url: one(item, 'image_link') || null,
          })),
        }
      : sold[0]),
  };
  const placeOf = (loc: readonly (string | number)[]) => {
    const line = loc[0] === 'variants' && typeof loc[1] === 'number' ? items[loc[1]]?.line : undefined;
    const property = String(loc.findLast((part) => typeof part === 'string') ?? 'slug');
    return { line: line ?? first.line, field: FIELD_OF[property] ?? property };
  };
  const distinct = one(first, 'item_group_id') || one(first, 'id');
  return judged({ line: first.line, product, errors, placeOf, distinct }, slugs);
}

/** The category path, or only its last part if the path is longer than the contract allows. */
function typeOf(item: FeedItem): string | null {
  const path = one(item, 'product_type');
  const type = path.length > BOUNDS.product_type ? path.split('>').at(-1)?.trim().slice(0, BOUNDS.product_type) : path;
  return type || null;
}

type Warn = (item: FeedItem, message: string) => void;

interface GroupOption {
  attribute: string;
  name: string;
}

/**
 * The attributes that distinguish the items of a group. If they are not enough, the id of the items is an option too.
 */
function optionsOf(items: FeedItem[]): GroupOption[] {
  const differing = Object.entries(OPTIONS)
    .map(([attribute, name]) => ({ attribute, name }))
    .filter(({ attribute }) => {
      const values = items.map((item) => one(item, attribute));
      return !values.includes('') && new Set(values).size > 1;
    })
    .slice(0, 3);
  const combinations = new Set(
    items.map((item) => JSON.stringify(differing.map(({ attribute }) => one(item, attribute)))),
  );
  if (combinations.size === items.length) return differing;
  return [...differing.slice(0, 2), { attribute: 'id', name: 'Variant' }];
}

/** Attributes that may differ between variants in a feed, but belong to the product in the contract. */
const OF_PRODUCTS = ['title', 'description', 'brand', 'product_type', 'google_product_category'];

function warnOfDiffering(items: FeedItem[], warn: Warn): void {
  for (const name of OF_PRODUCTS) {
    const other = items.find((item) => one(item, name) !== '' && one(item, name) !== one(items[0] as FeedItem, name));
    if (other) warn(other, `${name}: it differs among the variants; only that of the first is kept.`);
  }
}

function lastSegment(link: string): string {
  const { pathname = '' } = URL.canParse(link) ? new URL(link) : {};
  return pathname.split('/').findLast((part) => part !== '') ?? '';
}

/** Parses `15.00 EUR`, `EUR 15.00` or `15,00 EUR`. The currency is ignored here. */
function amountOf(item: FeedItem, name: string, decimals: number, errors: FieldError[]): string | undefined {
  const text = one(item, name);
  if (text === '') return undefined;
  const { amount, problem } = readMoney(text.replace(/^[A-Z]{3}\s*|\s*[A-Z]{3}$/g, ''), decimals);
  if (problem) errors.push({ line: item.line, field: name, message: problem });
  return amount;
}

function soldOf(
  item: FeedItem,
  decimals: number,
  errors: FieldError[],
  warn: Warn,
  { attributes, context }: Feed,
): VariantInput {
  const price = amountOf(item, 'price', decimals, errors);
  const sale = amountOf(item, 'sale_price', decimals, errors);
  const isLess = price !== undefined && sale !== undefined && isMore(price, sale);
  if (sale !== undefined && !isLess) warn(item, `sale_price: ${sale} is not below the price and is left out.`);
  const dates = one(item, 'sale_price_effective_date');
  if (dates !== '' && !isLess) warn(item, `sale_price_effective_date ${dates}: there is no lower price for that time.`);
  const onSale = isLess && holdsNow(item, sale, context.now, warn);
  const cost = amountOf(item, 'cost_of_goods_sold', decimals, errors);
  return {
    ...(attributes.has('cost_of_goods_sold') && { cost_per_item: cost ?? null }),
    sku: one(item, 'id') || null,
    barcode: one(item, 'gtin') || null,
    ...(price !== undefined && { price: onSale ? sale : price }),
    compare_at_price: onSale ? price : null,
    ...(attributes.has('shipping_weight') && { weight: null }),
    ...weightOf(item, warn),
  };
}

/** Whether a sale price applies now. The cell contains its first and last time, separated by a slash. */
function holdsNow(item: FeedItem, sale: string, now: Date, warn: Warn): boolean {
  const dates = one(item, 'sale_price_effective_date');
  if (dates === '') return true;
  // Google writes `+0100`; some browsers require `+01:00`.
  const [starts, ends] = dates
    .split('/')
    .map((date) => Date.parse(date.trim().replace(/(T.*[+-]\d\d)(\d\d)$/, '$1:$2')));
  const holds = !(Number(starts) > now.getTime() || Number(ends) < now.getTime());
  const words = holds
    ? `the sale price ${sale} holds until you change it`
    : `${sale} does not hold now and is left out`;
  warn(item, `sale_price_effective_date ${dates}: ${words}.`);
  return holds;
}

const UNITS: Record<string, WeightUnit> = { g: 'g', kg: 'kg', lb: 'lb', lbs: 'lb', oz: 'oz' };

function weightOf(item: FeedItem, warn: Warn): VariantInput {
  const text = one(item, 'shipping_weight');
  if (text === '') return {};
  const [, number = '', name = ''] = /^(\d{1,10}(?:\.\d{1,8})?)\s*([a-z]+)$/i.exec(text) ?? [];
  const weight_unit = UNITS[name.toLowerCase()];
  if (weight_unit) return { weight: number.replace(/^0+(?=\d)/, ''), weight_unit };
  warn(item, `shipping_weight: ${quoted(text)} is not a weight such as 1.5 kg and is left out.`);
  return {};
}

function stockOf(item: FeedItem): 'in' | 'out' | 'later' {
  const words = one(item, 'availability').toLowerCase().replaceAll('_', ' ');
  if (words === 'out of stock') return 'out';
  return words === 'preorder' || words === 'backorder' ? 'later' : 'in';
}

/** Feeds contain no quantities, so items that are not out of stock can be sold below zero. */
function policyOf(item: FeedItem, isTracked: boolean): VariantInput {
  return { inventory_policy: isTracked && stockOf(item) !== 'out' ? 'continue' : 'deny' };
}

function imagesOf(items: FeedItem[]): ImageInput[] {
  const links = (name: string) => items.flatMap((item) => item.values.get(name) ?? []);
  const more = links('additional_image_link').flatMap((cell) => cell.split(/,(?=https?:)/));
  const urls = new Set([...links('image_link'), ...more].map((url) => url.trim()));
  return [...urls].map((url, index) => ({ url, alt: null, position: index + 1 }));
}

function metadataOf(items: FeedItem[], options: GroupOption[], warn: Warn) {
  const [first] = items as [FeedItem];
  const category = 'google_product_category';
  const facts: Fact[] = [{ key: 'category', value: one(first, category), column: category }];
  const type = one(first, 'product_type');
  if (typeOf(first) !== (type || null)) facts.push({ key: 'product_type', value: type, column: 'product_type' });
  for (const name of new Set(items.flatMap((item) => [...item.values.keys()]))) {
    if (FIELDS.has(name) || options.some(({ attribute }) => attribute === name)) continue;
    const value = (first.values.get(name) ?? []).join(', ');
    const differs = items.some((item) => (item.values.get(name) ?? []).join(', ') !== value);
    if (differs) warn(first, `${name}: it differs among the variants; only that of the first is kept.`);
    facts.push({ key: name, value, column: name });
  }
  return metadataFrom(facts, (message) => warn(first, message));
}
