import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { ProductInput } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { propertiesOf, readContract } from '../contract.ts';
import { manualCollectionsOf } from '../formats/collections-of.ts';
import { calls } from '../operations.ts';
import { show } from '../output.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { isJson } from './options.ts';
import { findProduct, productText } from './product-view.ts';

const EXAMPLES = `
PRODUCT is an id, a slug or a SKU. The copy is a draft with the texts, options, prices, pictures and manual collections of the
product, and without its address, SKUs, barcodes and stock.

Examples:
  $ commerce products duplicate stoneware-mug
  $ commerce products duplicate stoneware-mug --name "Stoneware Mug, large"`;

/** Adds `products duplicate`. */
export function addProductDuplicate(products: Command, terminal: Terminal): void {
  calls(products.command('duplicate <product>'), 'dashboard.createProduct', 'dashboard.addCollectionProducts')
    .description('Create a draft that is a copy of a product.')
    .option('--name <name>', 'the name of the copy; default: that of the product with "(copy)"')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, options: { name?: string }, command: Command) =>
      duplicate(wanted, options, command, terminal),
    );
}

async function duplicate(wanted: string, { name }: { name?: string }, command: Command, terminal: Terminal) {
  const { client } = await openSession(command, terminal);
  const product = await findProduct(client, wanted);
  const collections = await manualCollectionsOf(client, product);
  const body = await copyOf(product, name ?? `${product.name} (copy)`.slice(0, 255));
  const copy = await unwrap(client.POST('/api/dashboard/products', { body }));
  for (const collection_id of collections) {
    const call = { params: { path: { collection_id } }, body: { product_ids: [copy.id] } };
    await unwrap(client.POST('/api/dashboard/collections/{collection_id}/products', call));
  }
  show(terminal, isJson(command), copy, (paint) => productText(copy, paint, terminal));
}

/** Fields of the product and of its parts that a copy does not take over. */
const OWN = ['id', 'slug', 'status', 'published_at', 'position', 'sku', 'barcode', 'inventory_quantity'];

/** Fields of the product that come from its variants. */
const OF_VARIANTS = ['price', 'compare_at_price', 'cost_per_item', 'taxable'];

/** Returns the request body, without fields that exist only in responses. */
async function copyOf(product: Schemas['Product'], name: string): Promise<ProductInput> {
  const contract = await readContract();
  const accepted = (fields: object, schema: string, left: string[]) => {
    const own = propertiesOf(contract, { $ref: `#/components/schemas/${schema}` }).properties;
    return Object.fromEntries(Object.entries(fields).filter(([field]) => field in own && !left.includes(field)));
  };
  return {
    ...accepted(product, 'ProductInput', [...OWN, ...OF_VARIANTS]),
    name,
    options: product.options.map((option) => accepted(option, 'OptionInput', OWN)),
    variants: product.variants.map((variant) => accepted(variant, 'VariantInput', OWN)),
    images: product.images.map((image) => accepted(image, 'ImageInput', OWN)),
  } as ProductInput;
}
