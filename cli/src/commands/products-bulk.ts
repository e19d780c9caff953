import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { ProductBulkChange } from '@commerce-backend/spec';
import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { isLargeChange } from '../formats/decimals.ts';
import { calls } from '../operations.ts';
import { counted, plain } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collectionIdOf } from './collection-id.ts';
import { addYes, choice, isUuid, type YesOption } from './options.ts';
import { findProduct } from './product-view.ts';
import { inBatches, showResults } from './row-results.ts';

const EXAMPLES = `
PRODUCT is an id, a slug or a SKU. Give exactly one change. New prices are rounded to the decimals of the currency. A product that
cannot be changed does not stop the others. Deleting, and a price change of more than 80 %, ask first; programs agree with --yes.

Examples:
  $ commerce products update-many stoneware-mug linen-shirt --price-percent 5 --dry-run
  $ commerce products update-many $(commerce products list --vendor Alder --limit 100 --json | jq -r '.products[].id') --add-tag winter`;

interface Options extends YesOption {
  status?: 'draft' | 'active' | 'archived';
  pricePercent?: string;
  priceAmount?: string;
  addTag?: string[];
  removeTag?: string[];
  addToCollection?: string;
  removeFromCollection?: string;
  delete?: true;
  dryRun?: true;
}

export function addProductsBulk(products: Command, terminal: Terminal): void {
  addYes(calls(products.command('update-many <product...>'), 'dashboard.bulkUpdateProducts'))
    .description('Make one change to many products.')
    .addOption(choice('--status <status>', 'the new status', ['draft', 'active', 'archived']))
    .option('--price-percent <percent>', 'change each price by a percentage, such as 5 or -12.5')
    .option('--price-amount <amount>', 'add an amount to each price, such as 2.50 or -2.50')
    .option('--add-tag <tag...>', 'tags to add')
    .option('--remove-tag <tag...>', 'tags to remove')
    .option('--add-to-collection <collection>', 'a manual collection, by id or handle')
    .option('--remove-from-collection <collection>', 'a manual collection, by id or handle')
    .option('--delete', 'delete the products')
    .option('--dry-run', 'show the result without changing anything')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string[], options: Options, command: Command) => updateMany(wanted, options, command, terminal));
}

const MOST_PRODUCTS = 500;

async function updateMany(wanted: string[], options: Options, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const change = await changeOf(options, client);
  const ids: string[] = [];
  for (const one of wanted) ids.push(isUuid(one) ? one : (await findProduct(client, one)).id);
  const send = (dry_run: boolean) =>
    inBatches(ids, MOST_PRODUCTS, async (product_ids) => {
      const body = { product_ids, change, dry_run };
      return (await unwrap(client.POST('/api/dashboard/products/bulk', { body }))).results;
    });
  const dry_run = options.dryRun === true;
  if (!dry_run && !options.yes) await confirmChange(change, () => send(true), ids.length, terminal);
  const results = await send(dry_run);
  const rows = results.map(({ product_id, name, status, price_before, price_after, message }, i) => ({
    ...{ line: i + 1, name: name ?? product_id, status, message },
    ...(price_after !== null && { price_before, price_after }),
  }));
  showResults(terminal, command, rows, dry_run ? 'Dry run, nothing was written' : counted(rows.length, 'product'));
}

async function changeOf(options: Options, client: DashboardClient): Promise<ProductBulkChange> {
  const { addToCollection, removeFromCollection } = options;
  const given: ProductBulkChange[] = [
    ...(options.status ? [{ status: options.status }] : []),
    ...(options.pricePercent ? [{ price_percent: options.pricePercent }] : []),
    ...(options.priceAmount ? [{ price_amount: options.priceAmount }] : []),
    ...(options.addTag ? [{ add_tags: options.addTag }] : []),
    ...(options.removeTag ? [{ remove_tags: options.removeTag }] : []),
    ...(addToCollection ? [{ add_to_collection: await collectionIdOf(client, addToCollection) }] : []),
    ...(removeFromCollection ? [{ remove_from_collection: await collectionIdOf(client, removeFromCollection) }] : []),
    ...(options.delete ? [{ delete: true as const }] : []),
  ];
  const [change, ...others] = given;
  if (!change || others.length > 0) throw usageError('Give exactly one change, such as --price-percent 5.');
  return change;
}

type Result = Schemas['ProductBulkResult']['results'][number];

async function confirmChange(
  change: ProductBulkChange,
  preview: () => Promise<Result[]>,
  count: number,
  terminal: Terminal,
): Promise<void> {
  if (change.delete) await confirm(terminal, plain(`Delete ${counted(count, 'product')} with all variants?`));
  if (change.price_percent === undefined && change.price_amount === undefined) return;
  const large = (await preview()).find(
    ({ price_before, price_after }) => price_before !== null && isLargeChange(price_before, price_after),
  );
  if (!large) return;
  const { name, price_before, price_after } = large;
  const question = `Change prices by more than 80 %, such as ${name} from ${price_before} to ${price_after}?`;
  await confirm(terminal, plain(question));
}
