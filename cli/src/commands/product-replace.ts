import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { ProductReplacement } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { propertiesOf, readContract } from '../contract.ts';
import { CommandError, EXIT, usageError } from '../errors.ts';
import { isLargeChange } from '../formats/decimals.ts';
import { readJson } from '../json-input.ts';
import { calls } from '../operations.ts';
import { counted, plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';
import { findProduct, productText } from './product-view.ts';

type Product = Schemas['Product'];
type Fields = Record<string, unknown>;

const EXAMPLES = `
PRODUCT is an id, a slug or a SKU. The file is a product as "products get --json" prints it, or a part of one: fields and lists
that it does not have stay. Options, variants and images with an id are the existing ones; those without are new; those that a
list leaves out are deleted. Prices are those of the variants. The stock of existing variants is never changed: see commerce
inventory adjust.

Everything is saved, or nothing. A product that somebody has changed since the file was read is rejected: its updated_at, or
with --if-match its ETag, differs. The command asks before it deletes a part or changes a price by more than 80 %; programs
agree with --yes.

Examples:
  $ commerce products get stoneware-mug --json > mug.json
  $ commerce products replace stoneware-mug --input mug.json
  $ jq '{variants: [.variants[] | {id, price: "15.00"}]}' mug.json | commerce products replace stoneware-mug --input - --yes`;

interface ReplaceOptions extends YesOption {
  input: string;
  ifMatch?: string;
}

/** Adds `products replace`, which saves a whole product from a JSON file. */
export function addProductReplace(products: Command, terminal: Terminal): void {
  addYes(calls(products.command('replace <product>'), 'dashboard.replaceProduct'))
    .description('Save a product with its options, variants and images from a JSON file, all or nothing.')
    .requiredOption('--input <file>', 'the JSON file; - is the standard input')
    .option('--if-match <etag>', 'the ETag of the version that the file is based on; default: the current one')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, options: ReplaceOptions, command: Command) => replace(wanted, options, command, terminal));
}

async function replace(wanted: string, options: ReplaceOptions, command: Command, terminal: Terminal): Promise<void> {
  const file = await readJson(options.input, terminal);
  if (!isObject(file)) throw usageError('Give a JSON object.');
  const { client } = await openSession(command, terminal);
  const { id: product_id } = await findProduct(client, wanted);
  const { before, etag } = await readVersion(client, product_id);
  if (options.ifMatch === undefined) refuseOutdated(file, before);
  const body = await replacementIn(file, before);
  const question = questionOf(before, body);
  if (question && !options.yes) await confirm(terminal, plain(question));
  const params = { path: { product_id }, header: { 'If-Match': options.ifMatch ?? etag } };
  const product = await unwrap(client.PUT('/api/dashboard/products/{product_id}', { params, body }));
  show(terminal, isJson(command), product, (paint) => productText(product, paint, terminal));
}

async function readVersion(client: DashboardClient, product_id: string): Promise<{ before: Product; etag: string }> {
  const answer = await client.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id } } });
  return { before: await unwrap(Promise.resolve(answer)), etag: answer.response.headers.get('ETag') ?? '*' };
}

function refuseOutdated({ updated_at }: Fields, before: Product): void {
  if (updated_at === undefined || updated_at === before.updated_at) return;
  const remedy = 'Read it again and repeat your changes: commerce products get PRODUCT --json';
  throw new CommandError(EXIT.refused, 'stale', 'The product was changed since the file was read.', remedy);
}

const DERIVED = ['price', 'compare_at_price', 'cost_per_item'] as const;

/**
 * Returns the request body: the file's fields, except those that exist only in responses and the stock of existing
 * variants.
 */
async function replacementIn(file: Fields, before: Product): Promise<ProductReplacement> {
  for (const field of DERIVED) {
    if (file[field] === undefined || file[field] === before[field]) continue;
    throw usageError(`The ${field} of a product comes from its variants.`, `Change variants.0.${field} in the file.`);
  }
  const contract = await readContract();
  const fieldsOf = (schema: string) => propertiesOf(contract, { $ref: `#/components/schemas/${schema}` }).properties;
  /**
   * Removes fields that exist only in responses. Keeps unknown fields, such as misspelled ones, so that the server
   * rejects them.
   */
  const accepted = (fields: Fields, shown: string, sent: string): Fields => {
    const [all, own] = [fieldsOf(shown), fieldsOf(sent)];
    return Object.fromEntries(Object.entries(fields).filter(([name]) => name in own || !(name in all)));
  };
  const each = (list: unknown, shown: string, sent: string) =>
    Array.isArray(list) ? list.map((part) => (isObject(part) ? accepted(part, shown, sent) : part)) : list;
  const body = accepted(file, 'Product', 'ProductReplacement');
  const lists = {
    options: each(body.options, 'Option', 'OptionReplacement'),
    variants: each(withoutStock(body.variants), 'Variant', 'VariantReplacement'),
    images: each(body.images, 'Image', 'ImageReplacement'),
  };
  // Lists that are not in the file are undefined, so JSON omits them.
  return { ...body, ...lists } as ProductReplacement;
}

function withoutStock(variants: unknown): unknown {
  if (!Array.isArray(variants)) return variants;
  return variants.map((variant) => {
    if (!isObject(variant) || variant.id === undefined) return variant;
    const { inventory_quantity: _, ...rest } = variant;
    return rest;
  });
}

/** Returns the confirmation question; undefined if nothing is deleted and no price changes by much. */
function questionOf(before: Product, { options, variants, images }: ProductReplacement): string | undefined {
  const deleted = (parts: { id: string }[], named: { id?: string }[] | undefined, noun: string) => {
    const count = named ? parts.filter(({ id }) => !named.some((part) => part.id === id)).length : 0;
    return count > 0 ? [counted(count, noun)] : [];
  };
  const gone = [
    ...deleted(before.options, options, 'option'),
    ...deleted(before.variants, variants, 'variant'),
    ...deleted(before.images, images, 'image'),
  ];
  const repriced = before.variants.filter(({ id, price }) => {
    const now = variants?.find((variant) => variant.id === id)?.price;
    return now !== undefined && isLargeChange(price, now);
  });
  const changes = [
    ...(gone.length > 0 ? [`delete ${gone.join(', ')}`] : []),
    ...(repriced.length > 0 ? [`change ${counted(repriced.length, 'price')} by more than 80 %`] : []),
  ];
  return changes.length > 0 ? `Save ${before.name}, and ${changes.join(' and ')}?` : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
