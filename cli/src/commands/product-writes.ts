import { unwrap } from '@commerce-backend/sdk';
import type { Command } from 'commander';
import { addCall } from '../call-command.ts';
import { addFlags, addInput, givenRequest } from '../flags.ts';
import { calls } from '../operations.ts';
import { counted, plain, show } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addYes, isJson, type YesOption } from './options.ts';
import { confirmPrice } from './price-change.ts';
import { findProduct, productText } from './product-view.ts';

const CREATE_EXAMPLES = `
A product is a draft unless --status is given. With --input it can have options, variants and images; for the
fields see: commerce api schema dashboard.createProduct

Examples:
  $ commerce products create "Stoneware Mug" --price 14.00 --sku MUG-9 --stock 24 --status active
  $ commerce products create "Linen Shirt" --input shirt.json`;

const UPDATE_EXAMPLES = `
PRODUCT is an id, a slug or a SKU. Fields without an option stay as they are; "none" removes a value. If the product has
several variants, change their prices and other fields with commerce variants update. A price change of more than 80 % asks first; programs
agree with --yes.

Examples:
  $ commerce products update stoneware-mug --price 15.00 --compare-at-price 18.00
  $ commerce products update stoneware-mug --status archived
  $ commerce products update stoneware-mug --tag kitchen --tag gift`;

const DELETE_EXAMPLES = `
PRODUCT is an id, a slug or a SKU. Orders keep what was bought. The command asks first; programs agree with --yes.

Examples:
  $ commerce products delete stoneware-mug
  $ commerce products update stoneware-mug --status archived   keeps it, hidden from shoppers`;

/** Adds `products create|update|delete`. */
export function addProductWrites(products: Command, terminal: Terminal): void {
  addCall(products, terminal, {
    name: 'create <name>',
    operation: 'dashboard.createProduct',
    description: 'Create a product.',
    // `tax_class` has replaced this field.
    flags: { taxable: false },
    examples: CREATE_EXAMPLES,
    text: (product, { paint }) => productText(product, paint, terminal),
  });
  addYes(addInput(addFlags(products.command('update <product>'), 'dashboard.updateProduct')))
    .description('Change a product.')
    .addHelpText('after', UPDATE_EXAMPLES)
    .action((wanted: string, _options, command: Command) => change(wanted, command, terminal));
  addYes(calls(products.command('delete <product>'), 'dashboard.deleteProduct'))
    .description('Delete a product with its variants, options and images.')
    .addHelpText('after', DELETE_EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => remove(wanted, options, command, terminal));
}

async function change(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const { body } = await givenRequest<'dashboard.updateProduct'>(command, terminal);
  const { client } = await openSession(command, terminal);
  const before = await findProduct(client, wanted);
  await confirmPrice(before, body.price, command, terminal);
  const params = { path: { product_id: before.id } };
  const product = await unwrap(client.PATCH('/api/dashboard/products/{product_id}', { params, body }));
  show(terminal, isJson(command), product, (paint) => productText(product, paint, terminal));
}

async function remove(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const { id: product_id, name, variants } = await findProduct(client, wanted);
  const count = counted(variants.length, 'variant');
  if (!yes) await confirm(terminal, plain(`Delete the product ${name} and its ${count}?`));
  const params = { path: { product_id } };
  const deletion = await unwrap(client.DELETE('/api/dashboard/products/{product_id}', { params }));
  show(terminal, isJson(command), deletion, () => plain(`Deleted: ${name}.`));
}
