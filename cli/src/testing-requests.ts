/** For tests: the contract's data for each dashboard request, and the published flags. */

import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import type { Command } from 'commander';
import { createProgram } from './main.ts';
import { calledBy } from './operations.ts';
import { type Answers, folder } from './testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: schemas and examples of the contract, read by their names.
type Json = any;
const whole: Json = contract;
export const resolved = (value: Json): Json =>
  value?.$ref
    ? {
        ...value.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, key: string) => at[key], whole),
        ref: value.$ref,
      }
    : value;
const exampleOf = ({ responses }: Json): Json => {
  const answer = resolved(responses['200'] ?? responses['201'] ?? responses['202'] ?? {});
  const [example] = Object.values(answer.content?.['application/json']?.examples ?? {});
  return resolved(example)?.value ?? answer.content?.['application/json']?.example;
};

export interface Field {
  name: string;
  place: 'query' | 'body';
  schema: Json;
  required: boolean;
}

interface Operation {
  id: string;
  method: string;
  path: string;
  fields: Field[];
  example: Json;
}

const OPERATIONS: Operation[] = Object.entries<Json>(whole.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item)
    .filter(([, { operationId = '' }]) => operationId.startsWith('dashboard.'))
    .map(([method, operation]) => {
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved);
      const body = resolved(operation.requestBody?.content?.['application/json']?.schema ?? {});
      const fields: Field[] = [
        ...parameters
          .filter((one) => one.in === 'query')
          .map(({ name, schema, required = false }): Field => ({ name, place: 'query', schema, required })),
        ...Object.entries<Json>(body.properties ?? {}).map(
          ([name, schema]): Field => ({
            name,
            place: 'body',
            schema,
            required: body.required?.includes(name) ?? false,
          }),
        ),
      ];
      return { id: operation.operationId, method: method.toUpperCase(), path, fields, example: exampleOf(operation) };
    }),
);

/**
 * Operations whose commands have hand-written options, because they ask for secrets, read files or make several calls.
 */
const WRITTEN = new Set(
  [
    ...['login', 'confirmIdentity', 'requestStaffPasswordReset', 'resetStaffPassword', 'changePassword'],
    ...['confirmTwoFactor', 'getInvitation', 'acceptInvitation', 'registerStaff', 'updateNotifications'],
    ...['updateSettings', 'updatePaymentAccount', 'replayFailedWebhookDeliveries', 'createFile', 'updateWebhook'],
    ...['createEventListener', 'listListenerEvents', 'listMovements', 'getOrderTimeline', 'listAgentTokenAudit'],
    ...['importProducts', 'importOrders', 'importCustomers', 'markOrdersPaid', 'fulfillOrders', 'matchTransfers'],
    ...['addCollectionProducts', 'reorderCollectionProducts', 'replaceProduct', 'bulkUpdateProducts', 'updateVariants'],
  ].map((name) => `dashboard.${name}`),
);

/** Published flags whose name differs from the field's. */
const PUBLISHED: Record<string, string> = {
  agent_token_id: '--agent',
  actor_id: '--actor',
  allowed_origins: '--origin',
  collection_id: '--collection',
  collection_ids: '--collection',
  correlation_id: '--request',
  cost_per_item: '--cost',
  countries: '--country',
  created_from: '--from',
  created_to: '--to',
  customer_id: '--customer',
  ends_at: '--ends',
  events: '--event',
  expected_quantity: '--expected',
  fulfillment_status: '--fulfillment',
  grace_hours: '--grace',
  has_account: '--account',
  inventory_policy: '--when-sold-out',
  inventory_quantity: '--stock',
  marketing_opt_in: '--newsletter',
  maximum_weight_grams: '--maximum-weight',
  minimum_weight_grams: '--minimum-weight',
  order_id: '--order',
  payment_method: '--method',
  payment_status: '--payment',
  postcode_prefixes: '--postcode',
  price_max: '--max-price',
  price_min: '--min-price',
  product_id: '--product',
  product_ids: '--product',
  product_type: '--type',
  received_at: '--received',
  rules_match: '--match',
  scopes: '--scope',
  starts_at: '--starts',
  states: '--state',
  tags: '--tag',
  tracking_number: '--tracking',
  updated_from: '--changed-from',
  updated_to: '--changed-to',
  url: '--image-url',
  values: '--value',
  variant_ids: '--variant',
  webhook_id: '--webhook',
};

const OPTION = '0192f3a0-4444-7000-8000-0000000000ab';

/** Fields that published flags set in another way: arguments and expected value. */
export const SPECIAL: Record<string, [string[], unknown][]> = {
  'createDiscount.kind': [[['--free-shipping'], 'free_shipping']],
  'createDiscount.value': [[['--amount', '5.00'], '5.00']],
  'createDiscount.active': [[['--disabled'], false]],
  'updateDiscount.active': [
    [['--enable'], true],
    [['--disable'], false],
  ],
  'createShippingOption.active': [[['--inactive'], false]],
  'updateShippingOption.active': [
    [['--enable'], true],
    [['--disable'], false],
  ],
  ...Object.fromEntries(
    ['createShippingOption', 'updateShippingOption'].flatMap((name) => [
      [`${name}.estimated_days_min`, [[['--days', '2-4'], 2]]],
      [`${name}.estimated_days_max`, [[['--days', '2-4'], 4]]],
    ]),
  ),
  ...Object.fromEntries(
    ['createCollection', 'updateCollection'].map((name) => [
      `${name}.rules`,
      [[['--rule', 'tag=mug'], [{ field: 'tag', operator: 'equals', value: 'mug' }]]],
    ]),
  ),
  'createSyncKey.scopes': [[['--write'], ['read', 'write']]],
  'refundReturn.shipping': [[['--shipping', 'all'], 'all']],
  'createFulfillment.override_dispute': [[['--override-dispute'], true]],
  'createRefund.by_hand': [[['--by-hand'], true]],
  'createDraftOrder.reserve': [[['--reserve'], true]],
  'updateDraftOrder.reserve': [[['--reserve'], true]],
  ...Object.fromEntries(
    ['createDraftOrder', 'updateDraftOrder'].map((name) => [
      `${name}.shipping_option_id`,
      [[['--shipping-option', OPTION], OPTION]],
    ]),
  ),
  'updateFulfillment.notify': [[['--notify'], true]],
  'reinstateOrder.keep_prices': [[['--keep-prices'], true]],
  'listInventory.low_stock': [[['--low-stock'], true]],
  'listInventory.out_of_stock': [[['--out-of-stock'], true]],
  'adjustInventories.dry_run': [[['--dry-run'], true]],
};

/** Fields that another test covers: those without a flag, set by an argument, or lists by SKU. */
export const ELSEWHERE = new Set([
  ...['createImage.url', 'createImage.file_id', 'createFulfillment.items', 'createRefund.line_items'],
  ...['adjustInventories.adjustments', 'createProduct.options', 'createProduct.images', 'createProduct.variants'],
  ...[
    'createReturn.order_id',
    'createReturn.lines',
    'exchangeReturn.lines',
    'exchangeReturn.price',
    'createReturn.shipping',
    'approveReturn.shipping',
  ],
  'confirmWithdrawal.lines',
  ...['add', 'change', 'shipping_option_id', 'expected_total', 'dry_run'].map((field) => `editOrder.${field}`),
  'recordOrderPayment.entry',
  ...['lines', 'discount', 'customer_id', 'shipping_address', 'billing_address'].flatMap((name) => [
    `createDraftOrder.${name}`,
    `updateDraftOrder.${name}`,
  ]),
  ...['receiveReturn.lines', 'suggestRefund.line_items', 'suggestRefund.shipping', 'suggestRefund.fee'],
  ...['createProduct.taxable', 'updateOrder.shipping_address', 'updateOrder.billing_address'],
  ...['exportProducts', 'exportOrders', 'exportCustomers'].flatMap((name) => [`${name}.cursor`, `${name}.limit`]),
]);

const ID = '0192f3a0-4444-7000-8000-0000000000aa';
export const PRODUCT = whole.components.examples.Product.value;
const ORDER = whole.components.examples.OrderDetails.value;
const IN_PATH: Record<string, string> = {
  product_id: PRODUCT.id,
  variant_id: PRODUCT.variants[0].id,
  option_id: PRODUCT.options[0].id,
  image_id: PRODUCT.images[0].id,
  order_id: ORDER.id,
};
export const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_all, name) => IN_PATH[name] ?? ID);

/** Additional arguments that a command needs, by its operation and the tested flag. */
export const BESIDE: Record<string, (flag: string) => string[]> = {
  createDiscount: (flag) => (/free|amount/.test(flag) ? [] : ['--percentage', '10']),
  createReturn: () => ['--item', 'MUG-SLATE=1'],
  createDraftOrder: () => ['--item', `${ID}=1`],
  exportDocuments: () => ['--output', join(tmpdir(), 'commerce-invoices.zip')],
  createRefund: (flag) => (flag === '--amount' ? [] : ['--amount', '1.00']),
  updateFulfillment: () => ['--shipment', ID],
  adjustInventory: (flag) =>
    ({ '--delta': [], '--set-to': ['--expected', '5'], '--expected': ['--set-to', '4'] })[flag] ?? ['--delta', '3'],
};

const typesOf = (schema: Json): string[] => [resolved(schema).type ?? []].flat();

/** Returns values of a field: as typed and as sent. */
function samplesOf(name: string, field: Json): [string[], unknown][] {
  const schema = { ...resolved(field), ...field };
  const types = typesOf(field);
  const cleared = (value: unknown): [string[], unknown][] => [[['none'], value]];
  if (types.includes('array')) {
    const { enum: words, format } = resolved(schema.items);
    const ids = PRODUCT.variants.slice(0, 2).map(({ id }: { id: string }) => id);
    const several = words?.slice(0, 2) ?? (format === 'uuid' ? ids : ['DE', 'AT']);
    return [[several, several], ...cleared([])];
  }
  if (types.includes('object')) return [[['a=1', 'b=x=y'], { a: '1', b: 'x=y' }], ...cleared({})];
  const empty = types.includes('null') ? cleared(null) : [];
  if (schema.enum) return schema.enum.filter(Boolean).map((word: string) => [[word], word]);
  if (types.includes('integer'))
    return [[[String(schema.minimum > 0 ? schema.minimum : 3)], schema.minimum > 0 ? schema.minimum : 3], ...empty];
  if (schema.format === 'uuid') return [[[ID], ID]];
  if (schema.format === 'date-time') return [[['2026-03-02T12:00:00+02:00'], '2026-03-02T10:00:00.000Z'], ...empty];
  if (/Money|Weight/.test(schema.ref ?? '')) return [[['12.50'], '12.50'], ...empty];
  return [[[`a ${name}`], `a ${name}`], ...empty];
}

const leaves = (command: Command, path: string[] = []): { command: Command; path: string[] }[] =>
  command.commands.length === 0
    ? [{ command, path }]
    : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
const { env, cwd, stdin, stdout, stderr, once, off } = process;
export const COMMANDS = leaves(createProgram({ env, cwd, stdin, stdout, stderr, once, off }));

export const CASES = OPERATIONS.filter(({ id, fields }) => fields.length > 0 && !WRITTEN.has(id)).map((operation) => {
  const found = COMMANDS.find(({ command }) => calledBy(command).some((id) => id === operation.id));
  return { id: operation.id.replace('dashboard.', ''), operation, ...(found ?? { command: undefined, path: [] }) };
});

/** Returns the arguments that a command needs for its path and for fields without a flag. */
export async function argumentsOf({ command, operation }: (typeof CASES)[number]): Promise<string[]> {
  const file = join(await folder(), 'rows.csv');
  await writeFile(file, 'sku,delta\nMUG-1,3\n');
  const parameters = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const others = [file, 'https://a.example/1.jpg'];
  return (command?.registeredArguments ?? []).map((one) => {
    const field = operation.fields.find(({ name }) => name === one.name());
    if (field) return samplesOf(one.name(), field.schema)[0]?.[0][0] ?? '';
    const parameter = parameters.shift();
    if (parameter !== undefined) return IN_PATH[parameter] ?? ID;
    if (one.name() === 'order') return ORDER.id;
    return others[one.name() === 'file' ? 0 : 1] ?? '';
  });
}

export const flagsFor = (id: string, { name, place, schema }: Field): [string[], unknown][] => {
  const special = SPECIAL[`${id}.${name}`];
  if (special) return special;
  const flag = PUBLISHED[name] ?? `--${name.replaceAll('_', '-')}`;
  if (typesOf(schema).includes('boolean')) {
    return [
      [[flag], true],
      [[flag.replace('--', '--no-')], false],
    ];
  }
  const clears = (value: unknown) => value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  // In a query, "none" is ordinary text.
  const samples = samplesOf(name, schema).map(([texts, value]): [string[], unknown] =>
    place === 'query' && clears(value) ? [texts, texts] : [texts, value],
  );
  return samples.map(([texts, value]) => [texts.flatMap((text) => [flag, text]), value]);
};

export const ANSWERS: Answers = {
  ...Object.fromEntries(
    OPERATIONS.map(({ method, path, example }) => [`${method} ${pathOf(path)}`, { body: example }]),
  ),
  [`GET ${pathOf('/api/dashboard/products/{product_id}')}`]: { body: PRODUCT },
  [`GET ${pathOf('/api/dashboard/orders/{order_id}')}`]: { body: ORDER },
  'GET /api/dashboard/staff': { body: { staff: [{ id: ID, name: 'June', email: 'june@a.example', role: 'viewer' }] } },
  'POST /api/dashboard/inventory/adjust': { body: { results: [{ index: 0, sku: 'MUG-1', status: 'adjusted' }] } },
};

export type Case = (typeof CASES)[number];

/** Returns the fields that a command's flags set. */
export function flaggedFields({ id, operation, command }: Case): Field[] {
  const isNamed = (name: string) => command?.registeredArguments.some((argument) => argument.name() === name);
  return operation.fields.filter(({ name }) => !isNamed(name) && !ELSEWHERE.has(`${id}.${name}`));
}

/** Returns flags for all required fields except one. */
export function requiredFlags(one: Case, but: string): string[] {
  const isRequired = ({ name, required }: Field) =>
    required && name !== but && !SPECIAL[`${one.id}.${name}`] && `${one.id}.${name}` !== 'createRefund.amount';
  return flaggedFields(one)
    .filter(isRequired)
    .flatMap((field) => flagsFor(one.id, field)[0]?.[0] ?? []);
}
