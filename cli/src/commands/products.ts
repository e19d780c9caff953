import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { CommandError, EXIT } from '../errors.ts';
import { type Column, facts, moment, type Paint, pageLine, show, styleOf, table } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addPageOptions, choice, isJson, isUuid, type PageOptions, repeated } from './options.ts';
import { addProductsExport } from './products-export.ts';
import { addProductsImport } from './products-import.ts';

type Product = Schemas['Product'];
type Variant = Product['variants'][number];

const STATUSES = ['draft', 'active', 'archived'] as const;

const SORTS = [
  ...(['relevance', 'newest', 'oldest', 'recently_updated'] as const),
  ...(['name_asc', 'name_desc', 'price_asc', 'price_desc'] as const),
];

interface ListOptions extends PageOptions {
  q?: string;
  status?: (typeof STATUSES)[number];
  vendor?: string[];
  type?: string[];
  tag?: string[];
  sort?: (typeof SORTS)[number];
}

const LIST_EXAMPLES = `
Examples:
  $ commerce products list
  $ commerce products list --q "desk lamp" --status active
  $ commerce products list --vendor Alder --vendor Finch --sort price_asc --limit 50
  $ commerce products list --json | jq -r '.products[].slug'`;

const GET_EXAMPLES = `
Examples:
  $ commerce products get stoneware-mug
  $ commerce products get MUG-1 --json
  $ commerce products get 0192f3a0-4444-7000-8000-000000000001`;

/** `products list|get|import|export`. */
export function addProducts(program: Command, terminal: Terminal): void {
  const products = program.command('products').description('The catalogue.');
  const list = products
    .command('list')
    .description('List products of every status: newest first, or with --q the best match first.')
    .option('--q <text>', 'search names, SKUs, vendors, types and tags')
    .addOption(choice('--status <status>', 'only products of this status', STATUSES))
    .option('--vendor <name>', 'only products of this vendor; may be repeated', repeated)
    .option('--type <name>', 'only products of this type; may be repeated', repeated)
    .option('--tag <tag>', 'only products with this tag; may be repeated', repeated)
    .addOption(choice('--sort <order>', 'the order', SORTS))
    .addHelpText('after', LIST_EXAMPLES);
  addPageOptions(list).action((options: ListOptions, command: Command) => listProducts(options, command, terminal));
  products
    .command('get <product>')
    .description('Show one product, by its id, slug or SKU.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getProduct(wanted, command, terminal));
  addProductsImport(products, terminal);
  addProductsExport(products, terminal);
}

const COLUMNS: Column<Product>[] = [
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'SLUG', value: ({ slug }) => slug, shrinks: true },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status === 'active' ? 'green' : 'dim') },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'CURRENCY', value: ({ currency }) => currency },
  { title: 'VARIANTS', value: ({ variants }) => variants.length, right: true },
  {
    title: 'STOCK',
    value: (product) => (product.track_inventory ? product.total_inventory : '∞'),
    right: true,
    colour: ({ in_stock }) => (in_stock ? undefined : 'red'),
  },
  { title: 'ID', value: ({ id }) => id },
];

async function listProducts({ type, ...rest }: ListOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const query = { ...rest, ...(type && { product_type: type }) };
  const page = await unwrap(client.GET('/api/dashboard/products', { params: { query } }));
  show(terminal, isJson(command), page, (paint) => {
    const summary = pageLine('products', page);
    if (page.products.length === 0) return summary;
    return `${table(COLUMNS, page.products, styleOf(terminal, paint))}\n\n${summary}`;
  });
}

async function getProduct(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const product = isUuid(wanted) ? await byId(client, wanted) : await bySlugOrSku(client, wanted);
  show(terminal, isJson(command), product, (paint) => details(product, paint, terminal));
}

function byId(client: DashboardClient, product_id: string): Promise<Product> {
  return unwrap(client.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id } } }));
}

/** Finds a product through the search, which knows SKUs and the words that slugs are made of; only an exact match counts. */
async function bySlugOrSku(client: DashboardClient, wanted: string): Promise<Product> {
  for (const q of new Set([wanted, wanted.replaceAll('-', ' ')])) {
    const call = client.GET('/api/dashboard/products', { params: { query: { q, limit: 100 } } });
    const { products } = await unwrap(call);
    const found =
      products.find(({ slug }) => slug === wanted) ??
      products.find(({ variants }) => variants.some(({ sku }) => sku?.toLowerCase() === wanted.toLowerCase()));
    if (found) return found;
  }
  const remedy = 'Look for its id: commerce products list --q "words of its name"';
  throw new CommandError(EXIT.refused, 'not_found', `No product with the slug or SKU "${wanted}" was found.`, remedy);
}

const VARIANT_COLUMNS: Column<Variant>[] = [
  { title: 'VARIANT', value: ({ option1, option2, option3 }) => nameOf([option1, option2, option3]), shrinks: true },
  { title: 'SKU', value: ({ sku }) => sku },
  { title: 'PRICE', value: ({ price }) => price, right: true },
  { title: 'BEFORE', value: ({ compare_at_price }) => compare_at_price, right: true },
  { title: 'COST', value: ({ cost_per_item }) => cost_per_item, right: true },
  { title: 'STOCK', value: ({ inventory_quantity }) => inventory_quantity, right: true },
  { title: 'ID', value: ({ id }) => id },
];

function nameOf(options: (string | null)[]): string {
  return options.filter((option) => option !== null).join(' / ') || '–';
}

function details(product: Product, paint: Paint, terminal: Terminal): string {
  const { name, slug, status, vendor, product_type, tags, published_at, price, currency, images, id } = product;
  const told = facts(
    {
      ...{ Name: name, Slug: slug, Status: status, Published: moment(published_at, 'not') },
      Price: `${price} ${currency}`,
      ...{
        Vendor: vendor,
        Type: product_type,
        Tags: tags.join(', ') || null,
        Tax: product.tax_class,
        Images: images.length,
      },
      Metadata:
        Object.entries(product.metadata)
          .map(([key, value]) => `${key}: ${value}`)
          .join(', ') || null,
      ...{ Changed: moment(product.updated_at), Id: id },
    },
    paint,
  );
  return [told, product.description, table(VARIANT_COLUMNS, product.variants, styleOf(terminal, paint))]
    .filter((part) => part !== '')
    .join('\n\n');
}
