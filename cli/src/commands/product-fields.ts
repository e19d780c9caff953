import type {
  ImagePatch,
  NewImage,
  OptionInput,
  OptionPatch,
  ProductInput,
  ProductPatch,
  VariantInput,
  VariantPatch,
} from '@commerce-backend/spec';
import { type Field, listed, metadata, optionalText } from '../fields.ts';
import { amount, decimal, orNone, repeated, since, wholeNumber } from './options.ts';

/** The fields of products and variants, and the options that set them. */

type OfBoth<One, Other> = keyof One & keyof Other;

/** What a variant has, and a product without options as well. */
const SOLD: Field<OfBoth<VariantInput, VariantPatch> & OfBoth<ProductInput, ProductPatch>>[] = [
  { flags: '--sku <sku>', field: 'sku', help: 'its SKU', read: optionalText },
  { flags: '--barcode <code>', field: 'barcode', help: 'its barcode', read: optionalText },
  { flags: '--price <amount>', field: 'price', help: 'what it costs', read: amount },
  {
    flags: '--compare-at-price <amount>',
    field: 'compare_at_price',
    help: 'the higher price to show beside it',
    read: orNone(amount),
  },
  { flags: '--cost <amount>', field: 'cost_per_item', help: 'what it costs you', read: orNone(amount) },
  { flags: '--weight <number>', field: 'weight', help: 'its weight', read: orNone(decimal) },
  {
    flags: '--weight-unit <unit>',
    field: 'weight_unit',
    help: 'the unit of its weight',
    words: ['g', 'kg', 'oz', 'lb'],
  },
  {
    flags: '--when-sold-out <policy>',
    field: 'inventory_policy',
    help: 'stop selling it (deny) or go on (continue)',
    words: ['deny', 'continue'],
  },
  {
    flags: '--low-stock-threshold <number>',
    field: 'low_stock_threshold',
    help: 'the stock from which down it is low',
    read: wholeNumber,
  },
  { flags: '--requires-shipping', field: 'requires_shipping', help: 'it is sent' },
  { flags: '--no-requires-shipping', field: 'requires_shipping', help: 'it is not sent' },
];

const PRODUCT: Field<OfBoth<ProductInput, ProductPatch>>[] = [
  { flags: '--slug <slug>', field: 'slug', help: 'its name in addresses' },
  { flags: '--description <text>', field: 'description', help: 'what shoppers read' },
  {
    flags: '--description-html <html>',
    field: 'description_html',
    help: 'the same, formatted; what runs or styles is removed',
    read: optionalText,
  },
  { flags: '--seo-title <text>', field: 'seo_title', help: 'its title for search engines', read: optionalText },
  {
    flags: '--seo-description <text>',
    field: 'seo_description',
    help: 'its description for search engines',
    read: optionalText,
  },
  { flags: '--vendor <name>', field: 'vendor', help: 'who makes it', read: optionalText },
  { flags: '--type <name>', field: 'product_type', help: 'what kind of thing it is', read: optionalText },
  { flags: '--tag <tag>', field: 'tags', help: 'a tag; may be repeated, and replaces the others', read: listed },
  { flags: '--status <status>', field: 'status', help: 'its status', words: ['draft', 'active', 'archived'] },
  {
    flags: '--published-at <when>',
    field: 'published_at',
    help: 'from when on shoppers see it',
    read: orNone(since),
  },
  { flags: '--tax-class <class>', field: 'tax_class', help: 'standard, reduced, zero, or one of your own' },
  {
    flags: '--metadata <key=value>',
    field: 'metadata',
    help: 'may be repeated, and replaces the rest',
    read: metadata,
  },
  { flags: '--track-inventory', field: 'track_inventory', help: 'count its stock' },
  { flags: '--no-track-inventory', field: 'track_inventory', help: 'sell it without counting' },
  ...SOLD,
];

const STOCK = {
  flags: '--stock <number>',
  field: 'inventory_quantity',
  help: 'how many there are',
  read: wholeNumber,
} as const;

export const NEW_PRODUCT: Field<keyof ProductInput>[] = [...PRODUCT, STOCK];
export const PRODUCT_CHANGE: Field<keyof ProductPatch>[] = [
  { flags: '--name <name>', field: 'name', help: 'its new name' },
  ...PRODUCT,
];

const VALUES: Field<OfBoth<VariantInput, VariantPatch>>[] = [
  { flags: '--option1 <value>', field: 'option1', help: 'its value of the first option' },
  { flags: '--option2 <value>', field: 'option2', help: 'its value of the second option' },
  { flags: '--option3 <value>', field: 'option3', help: 'its value of the third option' },
  { flags: '--image-url <url>', field: 'image_url', help: 'its image, one of the product', read: optionalText },
];

const POSITION = {
  flags: '--position <number>',
  field: 'position',
  help: 'its position, from 1',
  read: wholeNumber,
} as const;

export const NEW_VARIANT: Field<keyof VariantInput>[] = [...VALUES, ...SOLD, STOCK];
export const VARIANT_CHANGE: Field<keyof VariantPatch>[] = [...VALUES, ...SOLD, POSITION];

const OPTION_VALUES = {
  flags: '--value <value>',
  field: 'values',
  help: 'one of its values; may be repeated',
  read: (text: string, earlier: unknown) => repeated(text, earlier as string[] | undefined),
} as const;

export const NEW_OPTION: Field<keyof OptionInput>[] = [OPTION_VALUES];
export const OPTION_CHANGE: Field<keyof OptionPatch>[] = [
  { flags: '--name <name>', field: 'name', help: 'its new name' },
  OPTION_VALUES,
  POSITION,
];

/** Named by SKU or id; the ids are found in the product. */
const ITS_VARIANTS = {
  flags: '--variant <variant>',
  field: 'variant_ids',
  help: 'a variant that it is the picture of, by SKU or id; may be repeated, and replaces the others',
  read: listed,
} as const;

export const IMAGE: Field<OfBoth<NewImage, ImagePatch>>[] = [
  { flags: '--alt <text>', field: 'alt', help: 'what it shows, in words', read: optionalText },
  POSITION,
  { flags: '--width <pixels>', field: 'width', help: 'its width', read: orNone(wholeNumber) },
  { flags: '--height <pixels>', field: 'height', help: 'its height', read: orNone(wholeNumber) },
  ITS_VARIANTS,
];
export const IMAGE_CHANGE: Field<keyof ImagePatch>[] = [
  { flags: '--url <url>', field: 'url', help: 'its new address' },
  ...IMAGE,
];
