import type { Schemas } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall, pageText } from '../call-command.ts';
import { calls } from '../operations.ts';
import { type Column, show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { addProductDuplicate } from './product-duplicate.ts';
import { addProductReplace } from './product-replace.ts';
import { findProduct, productText } from './product-view.ts';
import { addProductWrites } from './product-writes.ts';
import { addProductsBulk } from './products-bulk.ts';
import { addProductsExport } from './products-export.ts';
import { addProductsImport } from './products-import.ts';

type Product = Schemas['Product'];

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

/** Adds `products` with its subcommands. */
export function addProducts(program: Command, terminal: Terminal): void {
  const products = program.command('products').description('The catalogue.');
  addCall(products, terminal, {
    name: 'list',
    operation: 'dashboard.listProducts',
    flags: {
      q: { help: 'search names, SKUs, vendors, types and tags' },
      stock: { help: 'only products that can be bought, are low, or are out of stock' },
    },
    description: 'List products of every status: newest first, or with --q the best match first.',
    examples: LIST_EXAMPLES,
    text: (page, view) => pageText('products', COLUMNS, page.products, page, view),
  });
  calls(products.command('get <product>'), 'dashboard.getProduct')
    .description('Show one product, by its id, slug or SKU.')
    .addHelpText('after', GET_EXAMPLES)
    .action((wanted: string, _options, command: Command) => getProduct(wanted, command, terminal));
  addProductWrites(products, terminal);
  addProductDuplicate(products, terminal);
  addProductReplace(products, terminal);
  addProductsBulk(products, terminal);
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

async function getProduct(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const product = await findProduct(client, wanted);
  show(terminal, isJson(command), product, (paint) => productText(product, paint, terminal));
}
