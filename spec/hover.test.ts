import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Tests the texts that an editor shows for the word under the pointer, in a program that uses the built SDK. */

const SDK = join(import.meta.dirname, '../sdk');
const PROGRAM = join(SDK, 'program.ts');
const LONG_ENOUGH_MS = 180_000;
const TYPES = [
  'Product',
  'Variant',
  'Image',
  'Option',
  'Cart',
  'CartItem',
  'Checkout',
  'LineItem',
  'Order',
  'OrderDetails',
  'Customer',
];

interface Schema {
  $ref?: string;
  properties?: Record<string, unknown>;
  allOf?: Schema[];
}

const { components } = JSON.parse(readFileSync(join(import.meta.dirname, 'generated/openapi.json'), 'utf8')) as {
  components: { schemas: Record<string, Schema> };
};

function fieldsOf({ $ref, properties = {}, allOf = [] }: Schema): string[] {
  const other = $ref ? fieldsOf(components.schemas[$ref.replace('#/components/schemas/', '')] ?? {}) : [];
  return [...other, ...Object.keys(properties), ...allOf.flatMap(fieldsOf)];
}

const fields = TYPES.flatMap((type) => fieldsOf(components.schemas[type] ?? {}).map((field) => ({ type, field })));

const source = `
import { type createDashboardClient, type createStorefrontClient, type Schemas, unwrap } from './dist/index.js';
declare const shop: ReturnType<typeof createStorefrontClient>;
declare const dashboard: ReturnType<typeof createDashboardClient>;
const params = { path: { id_or_slug: '', cart_id: '', checkout_id: '', order_id: '' } };
const product = await unwrap(shop.GET('/api/storefront/products/{id_or_slug}', { params }));
const { products } = await unwrap(shop.GET('/api/storefront/products'));
const cart = await unwrap(shop.GET('/api/storefront/cart/{cart_id}', { params }));
const checkout = await unwrap(shop.GET('/api/storefront/checkout/{checkout_id}', { params }));
const order = await unwrap(dashboard.GET('/api/dashboard/orders/{order_id}', { params }));
const { data } = await shop.POST('/api/storefront/cart', { body: {} });
${TYPES.map((type) => `declare const of${type}: Schemas['${type}'];`).join('\n')}
${fields.map(({ type, field }) => `of${type}.${field};`).join('\n')}
`;

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.NodeNext,
  types: [],
};
const service = ts.createLanguageService({
  getScriptFileNames: () => [PROGRAM],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = name === PROGRAM ? source : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => SDK,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === PROGRAM || ts.sys.fileExists(name),
  readFile: (name) => (name === PROGRAM ? source : ts.sys.readFile(name)),
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});

/** Returns the type and the description that an editor shows for the last word of the text. */
function hover(text: string) {
  const end = source.indexOf(text) + text.length;
  const info = service.getQuickInfoAtPosition(PROGRAM, end - 1);
  const tags = info?.tags?.map((tag) => ts.displayPartsToString(tag.text)) ?? [];
  return {
    type: ts.displayPartsToString(info?.displayParts),
    description: [ts.displayPartsToString(info?.documentation), ...tags].join(' ').trim(),
  };
}

test(
  'editors describe every field of the main types',
  () => {
    expect(service.getSemanticDiagnostics(PROGRAM).map(({ messageText }) => messageText)).toEqual([]);
    const silent = fields.filter(({ type, field }) => hover(`of${type}.${field};`.slice(0, -1)).description === '');
    expect(fields.length).toBeGreaterThan(190);
    expect(silent).toEqual([]);
  },
  LONG_ENOUGH_MS,
);

test(
  'editors show responses by the name of their type',
  () => {
    expect(hover('const product').type).toBe('const product: Received<Product>');
    expect(hover('{ products').type).toBe('const products: Received<Product>[]');
    expect(hover('const cart').type).toBe('const cart: Received<Cart>');
    expect(hover('const checkout').type).toBe('const checkout: Received<Checkout>');
    expect(hover('const order').type).toBe('const order: Received<OrderDetails>');
    expect(hover('{ data').type).toBe('const data: Received<Cart> | undefined');
  },
  LONG_ENOUGH_MS,
);

test(
  'editors describe GET and POST of a client',
  () => {
    for (const verb of ['GET', 'POST'])
      expect(hover(`shop.${verb}`).description).toContain(`Calls a ${verb} operation`);
  },
  LONG_ENOUGH_MS,
);
