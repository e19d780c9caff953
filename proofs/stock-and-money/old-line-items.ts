import { randomUUID } from 'node:crypto';
import { PaperBrowser } from '../../server/test/paper-browser.ts';
import { openAccount, openCustomerSession } from '../testing/customers.ts';
import { checkOut, onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';

/**
 * Reads orders whose lines have any subset of the optional fields, as earlier versions and minimal clients wrote them.
 */
export const H9: Proof = {
  id: 'H9',
  promise: 'Every view of orders shows an order, whatever fields its line items lack.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const seller = { canary: 'proof', site_id: shop.site_id };
      const { id: customer_id, email } = await openAccount(shop.premises, seller);
      const customer_token = await openCustomerSession(shop.premises, seller, customer_id);
      const written = await writeOrders(shop, { id: customer_id, email });
      const see = (where: string, order_id: string, shown: unknown) => {
        const fault = faultIn(shown, written.get(order_id));
        if (fault) violations.add(`${where}: ${fault}`);
      };
      for (const [where, list] of Object.entries(LISTS)) {
        const listed = await readAll(shop, list, { customer_id, customer_token });
        if (listed.length !== written.size) violations.add(`${where} lists ${listed.length} of ${written.size} orders`);
        for (const order of listed) see(where, order.id, order);
      }
      const confirmed = await confirm(shop);
      for (const [at, [order_id, { fields }]] of [...written].entries()) {
        if (at % pick(trial.size, 32, 1) !== 0) continue;
        const path = { order_id };
        const body = { staff_note: 'old' };
        see('getOrder', order_id, (await shop.ask('dashboard.getOrder', { path })).data);
        see('updateOrder', order_id, (await shop.ask('dashboard.updateOrder', { path, body })).data);
        see('markOrderPaid', order_id, (await shop.ask('dashboard.markOrderPaid', { path })).data);
        const own = await shop.ask('storefront.getCustomerOrder', { path, customer_token });
        see('getCustomerOrder', order_id, own.data);
        const fault = await readPage(shop, confirmed, fields);
        if (fault) violations.add(`the confirmation page: ${fault}`);
      }
      return {
        tried: SUBSETS.length,
        unit: 'subsets of the optional fields',
        violations: violations.list,
      } satisfies Figures;
    }),
};

const OPTIONAL = {
  variant_id: '0192f3a0-4444-7000-8000-000000000001',
  product_id: '0192f3a0-4444-7000-8000-000000000002',
  sku: 'MUG-1',
  option1: 'Slate',
  option2: 'Large',
  option3: 'Matt',
  variant_name: 'Slate / Large / Matt',
  image_url: 'https://img.example/mug.png',
} as const;

type Field = keyof typeof OPTIONAL;
const FIELDS = Object.keys(OPTIONAL) as Field[];

const SUBSETS: Field[][] = Array.from({ length: 2 ** FIELDS.length }, (_, bits) =>
  FIELDS.filter((_field, at) => (bits & (1 << at)) !== 0),
);

type Line = { name: string; quantity: number; price: string; total: string } & Record<Field, string | null>;

/** Returns an order line with only these optional fields. */
function lineOf(fields: Field[]): Line {
  const optional = FIELDS.map((field) => [field, fields.includes(field) ? OPTIONAL[field] : null]);
  const name = `name of ${fields.join('+') || 'nothing'}`;
  return { name, quantity: 2, price: '7.50', total: '15.00', ...Object.fromEntries(optional) } as Line;
}

interface Written {
  fields: Field[];
  line: Line;
}

/**
 * Inserts an order for each subset, with the columns that an earlier version wrote. Returns the expected line of each
 * order, by the order's id.
 */
async function writeOrders(
  { premises, site_id }: OpenShop,
  customer: { id: string; email: string },
): Promise<Map<string, Written>> {
  const written = new Map(SUBSETS.map((fields) => [randomUUID(), { fields, line: lineOf(fields) }] as const));
  const orders = [...written.keys()].map((id, at) => ({ id, order_number: `OLD-${at}` }));
  await premises.owner.query(
    `insert into commerce.orders (site_id, id, order_number, customer_id, email, subtotal, total, currency, status,
       payment_status, fulfillment_status, payment_method, source)
     select $1, id, order_number, $2, $3, 15.00, 15.00, 'EUR', 'pending', 'awaiting_payment', 'unfulfilled',
       'bank_transfer', 'ai_widget'
     from jsonb_to_recordset($4::jsonb) as o (id uuid, order_number text)`,
    [site_id, customer.id, customer.email, JSON.stringify(orders)],
  );
  for (const [order_id, { line }] of written) {
    const known = Object.entries(line).filter(([, value]) => value !== null);
    const columns = known.map(([column]) => column);
    await premises.owner.query(
      `insert into commerce.order_lines (site_id, id, order_id, position, ${columns.join(', ')})
       values ($1, gen_random_uuid(), $2, 1, ${columns.map((_, at) => `$${at + 3}`).join(', ')})`,
      [site_id, order_id, ...known.map(([, value]) => value)],
    );
  }
  return written;
}

function faultIn(shown: unknown, written: Written | undefined): string | undefined {
  const line = written?.line;
  const lines = (shown as { line_items?: Record<string, unknown>[] } | undefined)?.line_items;
  if (!line || lines?.length !== 1) return `not shown: ${JSON.stringify(shown)?.slice(0, 200)}`;
  const wrong = Object.entries(line).filter(([field, value]) => lines[0]?.[field] !== value);
  return wrong.length === 0 ? undefined : `${line.name}: ${wrong.map(([field]) => `${field} is ${lines[0]?.[field]}`)}`;
}

interface Reader {
  customer_id: string;
  customer_token: string;
}

type Page = { orders: { id: string }[]; pages: number } | undefined;
type List = (shop: OpenShop, page: number, reader: Reader) => Promise<{ data: Page }>;

const LISTS: Record<string, List> = {
  'dashboard.listOrders': (shop, page) => shop.ask('dashboard.listOrders', { query: { page, limit: 100 } }),
  'dashboard.listOrders by name': (shop, page) =>
    shop.ask('dashboard.listOrders', { query: { page, limit: 100, q: 'OLD-' } }),
  'dashboard.listOrdersOfCustomer': (shop, page, { customer_id }) =>
    shop.ask('dashboard.listOrdersOfCustomer', { path: { customer_id }, query: { page, limit: 100 } }),
  'storefront.listCustomerOrders': (shop, page, { customer_token }) =>
    shop.ask('storefront.listCustomerOrders', { query: { page, limit: 100 }, customer_token }),
};

async function readAll(shop: OpenShop, list: List, reader: Reader): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await list(shop, page, reader);
    found.push(...(data?.orders ?? []));
    if (!data || page >= data.pages) return found;
  }
}

/**
 * Replaces the line of an order with a line that has these fields, and reads the confirmation page. Returns the
 * violation, if any.
 */
async function readPage(shop: OpenShop, { order_id, url }: Confirmed, fields: Field[]): Promise<string | undefined> {
  const { name, quantity: _, price: _price, total: _total, ...optional } = lineOf(fields);
  const columns = Object.keys(optional).map((column, at) => `${column} = $${at + 4}`);
  await shop.premises.owner.query(
    `update commerce.order_lines set name = $3, ${columns.join(', ')} where site_id = $1 and order_id = $2`,
    [shop.site_id, order_id, name, ...Object.values(optional)],
  );
  const { response, html } = await new PaperBrowser(shop.premises.baseUrl).open(url);
  const isShown = response.status === 200 && html.includes(`>${name}<`) && !/undefined|\bnull\b/.test(html);
  return isShown ? undefined : `${name}: ${response.status} ${html.slice(0, 300)}`;
}

interface Confirmed {
  order_id: string;
  url: string;
}

async function confirm(shop: OpenShop): Promise<Confirmed> {
  const variant_id = onlyVariantOf(await putOnSale(shop, { price: '7.50', inventory_quantity: 10 }));
  const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 2 }]]);
  const { id: checkout_id, checkout_url } = await checkOut(shop, cart_id);
  const { order } = await shop.must('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  return { order_id: order.id, url: checkout_url ?? '' };
}
