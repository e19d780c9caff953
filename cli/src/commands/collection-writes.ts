import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import type { CollectionInput, CollectionPatch } from '@commerce-backend/spec';
import { type Command, InvalidArgumentError } from 'commander';
import { addFields, type Field, givenBody, givenChange, optionalText } from '../fields.ts';
import { nameFlags } from '../flags.ts';
import { calls } from '../operations.ts';
import { type Column, facts, moment, pageLine, plain, show, styleOf, table } from '../output.ts';
import { confirm } from '../prompt.ts';
import { openSession } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collectionIdOf } from './collection-id.ts';
import { addPageOptions, addYes, amount, choice, isJson, isUuid, type PageOptions, type YesOption } from './options.ts';
import { findProduct } from './product-view.ts';

type Collection = Schemas['Collection'];
type Product = Collection['products'][number];

const SORT_ORDERS = [
  ...['manual', 'title_asc', 'title_desc', 'price_asc', 'price_desc'],
  ...['created_desc', 'created_asc', 'best_selling'],
];

const EXAMPLES = `
COLLECTION is a handle or an id, PRODUCT an id, a slug or a SKU. The products of an automatic collection are those that fit
its rules. A rule is a field (tag, product_type, vendor, price, in_stock), a comparison (=, !=, ~ for contains, >, <) and a value.
To delete asks first; programs agree with --yes.

Examples:
  $ commerce collections get summer
  $ commerce collections create "Summer" --published
  $ commerce collections create "Cheap mugs" --type automatic --rule product_type=Mug --rule "price<20"
  $ commerce collections update summer --sort-order manual
  $ commerce collections add summer linen-shirt MUG-1
  $ commerce collections remove summer MUG-1
  $ commerce collections reorder summer linen-shirt MUG-1
  $ commerce collections delete summer`;

const BOTH: Field<keyof CollectionInput & keyof CollectionPatch>[] = [
  { flags: '--handle <handle>', field: 'handle', help: 'its name in addresses' },
  { flags: '--description <text>', field: 'description', help: 'what shoppers read', read: optionalText },
  { flags: '--image-url <url>', field: 'image_url', help: 'its image', read: optionalText },
  { flags: '--sort-order <order>', field: 'sort_order', help: 'the order of its products', words: SORT_ORDERS },
  { flags: '--rule <rule>', field: 'rules', help: 'a rule such as tag=summer; may be repeated', read: rules },
  { flags: '--match <which>', field: 'rules_match', help: 'all rules or any', words: ['all', 'any'] },
  { flags: '--published', field: 'published', help: 'shoppers see it' },
  { flags: '--no-published', field: 'published', help: 'shoppers do not see it' },
];

const CHANGE: Field<keyof CollectionPatch>[] = [
  { flags: '--title <title>', field: 'title', help: 'its new title' },
  ...BOTH,
];

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
  // Which fields there are is the server's to judge.
  const rule = { field, operator, value: field === 'price' ? amount(value) : value } as NonNullable<
    CollectionInput['rules']
  >[number];
  return [...((earlier ?? []) as (typeof rule)[]), rule];
}

/** `collections get|create|update|delete|add|remove|reorder`. */
export function addCollectionWrites(collections: Command, terminal: Terminal): void {
  const get = calls(collections.command('get <collection>'), 'dashboard.getCollection');
  addPageOptions(
    get.description('Show a collection and its products, in its order.').addHelpText('after', EXAMPLES),
  ).action((wanted: string, query: PageOptions, command: Command) => getOne(wanted, query, command, terminal));
  const create = calls(collections.command('create <title>'), 'dashboard.createCollection');
  addFields(nameFlags(create, { title: 'TITLE', type: '--type' }), BOTH)
    .addOption(choice('--type <type>', 'of chosen products, or of those that fit rules', ['manual', 'automatic']))
    .description('Make a collection.')
    .addHelpText('after', EXAMPLES)
    .action((title: string, { type }: Pick<CollectionInput, 'type'>, command: Command) =>
      createOne({ title, ...(type && { type }) }, command, terminal),
    );
  addFields(calls(collections.command('update <collection>'), 'dashboard.updateCollection'), CHANGE)
    .description('Change a collection.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, _options, command: Command) => change(wanted, command, terminal));
  addYes(calls(collections.command('delete <collection>'), 'dashboard.deleteCollection'))
    .description('Delete a collection. Its products stay.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, options: YesOption, command: Command) => deleteOne(wanted, options, command, terminal));
  addProductsOf(collections, terminal);
}

function addProductsOf(collections: Command, terminal: Terminal): void {
  calls(collections.command('add <collection> <products...>'), 'dashboard.addCollectionProducts')
    .description('Put products into a manual collection, at its end.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, products: string[], _options, command: Command) =>
      onCollection(wanted, command, terminal, async (client, collection_id) => {
        const params = { path: { collection_id } };
        const body = { product_ids: await idsOf(client, products) };
        return unwrap(client.POST('/api/dashboard/collections/{collection_id}/products', { params, body }));
      }),
    );
  addYes(calls(collections.command('remove <collection> <product>'), 'dashboard.removeCollectionProduct'))
    .description('Take a product out of a manual collection. The product stays.')
    .addHelpText('after', EXAMPLES)
    .action((wanted: string, product: string, { yes }: YesOption, command: Command) =>
      onCollection(wanted, command, terminal, async (client, collection_id) => {
        const { id: product_id, name } = await findProduct(client, product);
        if (!yes) await confirm(terminal, plain(`Take ${name} out of the collection ${wanted}?`));
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

function tell(collection: Collection, query: PageOptions, command: Command, terminal: Terminal): void {
  show(terminal, isJson(command), collection, (paint) => {
    const { id, title, handle, type, rules, rules_match, sort_order, published, products, products_count } = collection;
    const signs = Object.fromEntries(Object.entries(OPERATORS).map(([sign, operator]) => [operator, sign]));
    const told = facts(
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
    const lines = products.length > 0 ? [table(COLUMNS, products, styleOf(terminal, paint))] : [];
    return [told, ...lines, pageLine('products', count)].join('\n\n');
  });
}

async function getOne(wanted: string, query: PageOptions, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { collection_id: await collectionIdOf(client, wanted) }, query };
  tell(await unwrap(client.GET('/api/dashboard/collections/{collection_id}', { params })), query, command, terminal);
}

async function createOne(named: Pick<CollectionInput, 'title' | 'type'>, command: Command, terminal: Terminal) {
  const body = { ...(await givenBody<CollectionInput>(BOTH, command, terminal)), ...named };
  const { client } = await openSession(command, terminal);
  tell(await unwrap(client.POST('/api/dashboard/collections', { body })), {}, command, terminal);
}

async function change(wanted: string, command: Command, terminal: Terminal): Promise<void> {
  const body = await givenChange<CollectionPatch>(CHANGE, command, terminal);
  await onCollection(wanted, command, terminal, (client, collection_id) =>
    unwrap(client.PATCH('/api/dashboard/collections/{collection_id}', { params: { path: { collection_id } }, body })),
  );
}

async function deleteOne(wanted: string, { yes }: YesOption, command: Command, terminal: Terminal): Promise<void> {
  const { client } = await openSession(command, terminal);
  const params = { path: { collection_id: await collectionIdOf(client, wanted) } };
  if (!yes) await confirm(terminal, plain(`Delete the collection ${wanted}?`));
  const deletion = await unwrap(client.DELETE('/api/dashboard/collections/{collection_id}', { params }));
  show(terminal, isJson(command), deletion, () => plain(`Deleted: ${wanted}.`));
}

async function onCollection(
  wanted: string,
  command: Command,
  terminal: Terminal,
  act: (client: DashboardClient, collection_id: string) => Promise<Collection>,
): Promise<void> {
  const { client } = await openSession(command, terminal);
  tell(await act(client, await collectionIdOf(client, wanted)), {}, command, terminal);
}

async function idsOf(client: DashboardClient, products: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const wanted of products) ids.push(isUuid(wanted) ? wanted : (await findProduct(client, wanted)).id);
  return ids;
}
