import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { type Column, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collectionIdOf } from './collection-id.ts';
import { addPageOptions, amount, choice, isJson, type PageOptions, repeated, since, until } from './options.ts';
import { addProductReplace } from './product-replace.ts';
import { findProduct, productText } from './product-view.ts';
import { addProductWrites } from './product-writes.ts';
import { addProductsExport } from './products-export.ts';
import { addProductsImport } from './products-import.ts';

type Product = Schemas['Product'];

const STATUSES = ['draft', 'active', 'archived'] as const;

const STOCKS = ['in', 'low', 'out'] as const;

const SORTS = [
  ...(['relevance', 'newest', 'oldest', 'recently_updated'] as const),
  ...(['name_asc', 'name_desc', 'price_asc', 'price_desc'] as const),
];

/** The options that set a parameter of another name. */
const FLAGS = { price_min: '--min-price', price_max: '--max-price', collection_id: '--collection' };

interface ListOptions extends PageOptions {
  q?: string;
  status?: (typeof STATUSES)[number];
  vendor?: string[];
  type?: string[];
  tag?: string[];
  minPrice?: string;
  maxPrice?: string;
  stock?: (typeof STOCKS)[number];
  collection?: string;
  from?: string;
  to?: string;
  changedFrom?: string;
  changedTo?: string;
  sort?: (typeof SORTS)[number];
}

const LIST_EXAMPLES = `
Examples:
  $ commerce products list
  $ commerce products list --q "desk lamp" --status active
  $ commerce products list --stock low --collection summer
  $ commerce products list --vendor Alder --vendor Finch --sort price_asc --limit 50
  $ commerce products list --json | jq -r '.products[].slug'`;

const GET_EXAMPLES = `
Examples:
  $ commerce products get stoneware-mug
  $ commerce products get MUG-1 --json
  $ commerce products get 0192f3a0-4444-7000-8000-000000000001`;

/** `products list|get|create|update|delete|replace|import|export`. */
export function addProducts(program: Command, terminal: Terminal): void {
  const products = program.command('products').description('The catalogue.');
  const list = calls(products.command('list'), 'dashboard.listProducts')
    .description('List products of every status: newest first, or with --q the best match first.')
    .option('--q <text>', 'search names, SKUs, vendors, types and tags')
    .addOption(choice('--status <status>', 'only products of this status', STATUSES))
    .option('--vendor <name>', 'only products of this vendor; may be repeated', repeated)
    .option('--type <name>', 'only products of this type; may be repeated', repeated)
    .option('--tag <tag>', 'only products with this tag; may be repeated', repeated)
    .option('--min-price <amount>', 'only products that cost this or more', amount)
    .option('--max-price <amount>', 'only products that cost this or less', amount)
    .addOption(choice('--stock <state>', 'only what can be bought, is low, or is out of stock', STOCKS))
    .option('--collection <collection>', 'only products of this collection, by its handle or id')
    .option('--from <when>', 'only products made then or later: a day, or a date and time', since)
    .option('--to <when>', 'only products made until then: a day, inclusive, or a date and time', until)
    .option('--changed-from <when>', 'only products changed then or later', since)
    .option('--changed-to <when>', 'only products last changed until then', until)
    .addOption(choice('--sort <order>', 'the order', SORTS))
    .addHelpText('after', LIST_EXAMPLES);
  nameFlags(list, FLAGS);
  addPageOptions(list).action((options: ListOptions, command: Command) => listProducts(options, command, terminal));
  calls(products.command('get <product>'), 'dashboard.getProduct')
    .description('Show one product, by its id, slug or SKU.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getProduct(wanted, command, terminal));
  addProductWrites(products, terminal);
  addProductReplace(products, terminal);
  addProductsImport(products, terminal);
  addProductsExport(products, terminal);
}

const COLUMNS: Column<Product>[] = [
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'SLUG', value: ({ slug }) => slug, below: true },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status === 'active' ? 'green' : 'dim') },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency, below: true },
  { title: 'VARIANTS', value: ({ variants }) => variants.length, right: true },
  {
    title: 'STOCK',
    value: (product) => (product.track_inventory ? product.total_inventory : '∞'),
    right: true,
    colour: ({ in_stock }) => (in_stock ? undefined : 'red'),
  },
  { title: 'ID', value: ({ id }) => id, below: true },
];

async function listProducts(options: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { type, minPrice, maxPrice, collection, from, to, changedFrom, changedTo, ...rest } = options;
  const { client } = await openSession(command, terminal);
  const query = {
    ...rest,
    product_type: type,
    price_min: minPrice,
    price_max: maxPrice,
    collection_id: collection && (await collectionIdOf(client, collection)),
    ...{ created_from: from, created_to: to, updated_from: changedFrom, updated_to: changedTo },
  };
  const page = await unwrap(client.GET('/api/dashboard/products', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('products', page);
    if (page.products.length === 0) return summary;
    return `${table(COLUMNS, page.products, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function getProduct(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const product = await findProduct(client, wanted);
  show(terminal, isJson(command), product, (paint) => productText(product, paint, terminal));
}
