import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { CollectionInput } from '@commerce-backend/spec';
import { type Command, InvalidArgumentError } from 'commander';
import { addCall, type View } from '../call-command.ts';
import { calls } from '../operations.ts';
import { type Column, facts, moment, pageLine, plain, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collectionIdOf } from './collection-id.ts';
import { addYes, amount, isJson, isUuid, type YesOption } from './options.ts';
import { findProduct } from './product-view.ts';

type Collection = Schemas['Collection'];
type Product = Collection['products'][number];

const EXAMPLES = `
COLLECTION is a handle or an id, PRODUCT an id, a slug or a SKU. The products of an automatic collection are those that fit
its rules. A rule is a field (tag, product_type, vendor, price, in_stock), a comparison (=, !=, ~ for contains, >, <) and a value.
Deleting asks first; programs agree with --yes.

Examples:
  $ commerce collections get summer
  $ commerce collections create "Summer" --published
  $ commerce collections create "Cheap mugs" --type automatic --rule product_type=Mug --rule "price<20"
  $ commerce collections update summer --sort-order manual
  $ commerce collections add summer linen-shirt MUG-1
  $ commerce collections remove summer MUG-1
  $ commerce collections reorder summer linen-shirt MUG-1
  $ commerce collections delete summer`;

const OPERATORS = {
  '!=': 'not_equals',
  '=': 'equals',
  '~': 'contains',
  '>': 'greater_than',
  '<': 'less_than',
} as const;

function rules(text: string, earlier: unknown): NonNullable<CollectionInput['rules']> {
  const [, field, sign, value] = /^([a-z_]+)\s*(!=|[=~<>])\s*(.+)$/.exec(text) ?? [];
  const operator = OPERATORS[sign as keyof typeof OPERATORS];
  if (!field || !operator || !value) throw new InvalidArgumentError('Write a rule as tag=summer or "price<20".');
  // The server validates the field.
  const rule = { field, operator, value: field === 'price' ? amount(value) : value } as NonNullable<
    CollectionInput['rules']
  >[number];
  return [...((earlier ?? []) as (typeof rule)[]), rule];
}

const RULES = { flag: '--rule <rule>', help: 'a rule such as tag=summer; may be repeated', read: rules };

/** Adds the subcommands of `collections` for a single collection: `get|create|update|delete|add|remove|reorder`. */
export function addCollectionWrites(collections: Command, terminal: Terminal): void {
  addCall(collections, terminal, {
    name: 'get <collection>',
    operation: 'dashboard.getCollection',
    description: 'Show a collection and its products, in its order.',
    examples: EXAMPLES,
    text: collectionText,
  });
  addCall(collections, terminal, {
    name: 'create <title>',
    operation: 'dashboard.createCollection',
    description: 'Create a collection.',
    examples: EXAMPLES,
    flags: { rules: RULES },
    text: collectionText,
  });
  addCall(collections, terminal, {
    name: 'update <collection>',
    operation: 'dashboard.updateCollection',
    description: 'Change a collection.',
    examples: EXAMPLES,
    flags: { rules: RULES },
    text: collectionText,
  });
  addCall(collections, terminal, {
    name: 'delete <collection>',
    operation: 'dashboard.deleteCollection',
    description: 'Delete a collection. Its products stay.',
    examples: EXAMPLES,
    asks: (wanted) => `Delete the collection ${wanted}?`,
    text: (_deletion, { named }) => plain(`Deleted: ${named}.`),
  });
  addProductsOf(collections, terminal);
}

function addProductsOf(collections: Command, terminal: Terminal): void {
  calls(collections.command('add <collection> <products...>'), 'dashboard.addCollectionProducts')
    .description('Add products to the end of a manual collection.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, products: string[], _options, command: Command) =>
      onCollection(wanted, command, terminal, async (client, collection_id) => {
        const params = { path: { collection_id } };
        const body = { product_ids: await idsOf(client, products) };
        return unwrap(client.POST('/api/dashboard/collections/{collection_id}/products', { params, body }));
      }),
    );
  addYes(calls(collections.command('remove <collection> <product>'), 'dashboard.removeCollectionProduct'))
    .description('Remove a product from a manual collection. The product is not deleted.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, product: string, { yes }: YesOption, command: Command) =>
      onCollection(wanted, command, terminal, async (client, collection_id) => {
        const { id: product_id, name } = await findProduct(client, product);
        if (!yes) await confirm(terminal, plain(`Remove ${name} from the collection ${wanted}?`));
        const params = { path: { collection_id, product_id } };
        return unwrap(client.DELETE('/api/dashboard/collections/{collection_id}/products/{product_id}', { params }));
      }),
    );
  calls(collections.command('reorder <collection> <products...>'), 'dashboard.reorderCollectionProducts')
    .description('Set the order of the products of a manual collection; name all of them.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, products: string[], _options, command: Command) =>
      onCollection(wanted, command, terminal, async (client, collection_id) => {
        const params = { path: { collection_id } };
        const body = { product_ids: await idsOf(client, products) };
        return unwrap(client.PUT('/api/dashboard/collections/{collection_id}/products/reorder', { params, body }));
      }),
    );
}

const COLUMNS: Column<Product>[] = [
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'SLUG', value: ({ slug }) => slug, shrinks: true },
  { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => (status === 'active' ? 'green' : 'dim') },
  { title: 'PRICE', value: ({ price, currency }) => `${price} ${currency}`, right: true },
  { title: 'ID', value: ({ id }) => id, below: true },
];

function collectionText(collection: Collection, { query, paint, terminal }: View): string {
  const { id, title, handle, type, rules, rules_match, sort_order, published, products, products_count } = collection;
  const signs = Object.fromEntries(Object.entries(OPERATORS).map(([sign, operator]) => [operator, sign]));
  const lines = facts(
    {
      ...{ Title: title, Handle: handle, Type: type, 'Sort order': sort_order },
      Rules: rules?.map(({ field, operator, value }) => `${field}${signs[operator] ?? operator}${value}`).join(', '),
      Match: rules ? rules_match : undefined,
      ...{ State: published ? 'published' : 'hidden', Changed: moment(collection.updated_at), Id: id },
    },
    paint,
  );
  const { page = 1, limit = 20 } = query;
  const count = { total: products_count, page, pages: Math.ceil(products_count / limit) };
  const rows = products.length > 0 ? [table(COLUMNS, products, styleOf(terminal, paint))] : [];
  return [lines, ...rows, pageLine('products', count)].join('\n\n');
}

async function onCollection(
  wanted: string,
  command: Command,
  terminal: Terminal,
  act: (client: DashboardClient, collection_id: string) => Promise<Collection>,
): Promise<void> {
  const { client } = await openSession(command, terminal);
  const collection = await act(client, await collectionIdOf(client, wanted));
  show(terminal, isJson(command), collection, (paint) =>
    collectionText(collection, { named: wanted, query: {}, paint, terminal }),
  );
}

async function idsOf(client: DashboardClient, products: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const wanted of products) ids.push(isUuid(wanted) ? wanted : (await findProduct(client, wanted)).id);
  return ids;
}
