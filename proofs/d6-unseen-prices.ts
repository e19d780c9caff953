import { randomUUID } from 'node:crypto';
import { type PageSummary, summaryOf } from '../server/test/page-summary.ts';
import { type Page, PaperBrowser } from '../server/test/paper-browser.ts';
import { type Figures, type Proof, pick } from './frame.ts';
import { type Checkout, onlyVariantOf, type Product, putInCarts, putOnSale, takeTransfers } from './goods.ts';
import { chanceOf } from './random.ts';
import { type Answer, type OpenShop, onPremises } from './shop.ts';

/**
 * Two changes by the merchant or by another tab, at each pair of moments of a purchase, over the API and on the hosted page;
 * also at the very moment when the order is placed.
 */
export const D6: Proof = {
  id: 'D6',
  promise: 'Whatever changes during a checkout, nobody is charged a price that they did not see.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const chance = chanceOf(trial.seed);
      const all = pick(trial.size, chance.some(INTERLEAVINGS, 16), INTERLEAVINGS);
      const ends: Record<End, number> = { 'ordered as seen': 0, 'asked again, then ordered': 0, 'not ordered': 0 };
      const left = [...all];
      let requests = 0;
      const lane = async () => {
        const shop = await openShop();
        await takeTransfers(shop);
        for (let next = left.pop(); next; next = left.pop()) {
          const { end, fault } = await live(shop, next);
          ends[end] += 1;
          if (fault) violations.add(`${nameOf(next)}: ${fault}`);
          if (left.length % 200 === 0) trial.progress(`${all.length - left.length} interleavings`);
        }
        requests += shop.requests;
      };
      await Promise.all([lane(), lane(), lane()]);
      const told = Object.entries(ends).map(([end, count]) => `${count} ${end}`);
      return {
        tried: all.length,
        unit: 'interleavings',
        violations: violations.list,
        note: `${told.join(', ')}; ${CHANGES.length} kinds of change, ${requests} requests`,
      } satisfies Figures;
    }),
};

type End = 'ordered as seen' | 'asked again, then ordered' | 'not ordered';

/** What one purchase is about, and what the buyer was shown last. */
interface Scene {
  shop: OpenShop;
  products: [Product, Product];
  cart_id: string;
  discount_id: string;
  shipping_option_id: string;
  checkout_id: string;
  seen: Seen;
  page: Page | undefined;
}

interface Seen {
  total: string;
  /** By the id of the line, on the page by the name. */
  prices: Record<string, string>;
}

type Change = (scene: Scene) => Promise<unknown>;

const reprice = ({ shop }: Scene, { id: product_id }: Product, price: string) =>
  shop.ask('dashboard.updateProduct', { path: { product_id }, body: { price } });
const settings = ({ shop }: Scene, body: { default_tax_rate?: string; prices_include_tax?: boolean }) =>
  shop.ask('dashboard.updateSettings', { body });
const editCode = ({ shop, discount_id }: Scene, body: { value?: string; active?: boolean; ends_at?: string }) =>
  shop.ask('dashboard.updateDiscount', { path: { discount_id }, body });
const editShipping = ({ shop, shipping_option_id }: Scene, body: { price?: string; active?: boolean }) =>
  shop.ask('dashboard.updateShippingOption', { path: { shipping_option_id }, body });

/** Anything that the total depends on. What the shop refuses, such as deleting what is being sold, changes nothing. */
const CHANGES: [string, Change][] = [
  ['the price rises', (scene) => reprice(scene, scene.products[0], '11.00')],
  ['the price falls', (scene) => reprice(scene, scene.products[0], '9.00')],
  ['the price is as it was', (scene) => reprice(scene, scene.products[0], '10.00')],
  [
    'two prices change places',
    async (scene) => {
      await reprice(scene, scene.products[0], '20.00');
      await reprice(scene, scene.products[1], '10.00');
    },
  ],
  [
    'a product is taken off sale',
    ({ shop, products: [{ id: product_id }] }) =>
      shop.ask('dashboard.updateProduct', { path: { product_id }, body: { status: 'draft' } }),
  ],
  [
    'a product is deleted',
    ({ shop, products: [, { id: product_id }] }) => shop.ask('dashboard.deleteProduct', { path: { product_id } }),
  ],
  ['the code takes off more', (scene) => editCode(scene, { value: '50' })],
  ['the code is switched off', (scene) => editCode(scene, { active: false })],
  ['the code ends', (scene) => editCode(scene, { ends_at: new Date(Date.now() - 1_000).toISOString() })],
  ['the code is taken off', ({ shop, cart_id }) => shop.ask('storefront.removeDiscount', { path: { cart_id } })],
  ['shipping costs more', (scene) => editShipping(scene, { price: '7.77' })],
  ['shipping is no longer offered', (scene) => editShipping(scene, { active: false })],
  ['the tax rises', (scene) => settings(scene, { default_tax_rate: '0.25' })],
  ['the tax is added', (scene) => settings(scene, { prices_include_tax: false, default_tax_rate: '0.07' })],
  [
    'another tab adds a piece',
    ({ shop, cart_id, products: [product] }) =>
      shop.ask('storefront.addCartItem', {
        path: { cart_id },
        body: { variant_id: onlyVariantOf(product), quantity: 1 },
      }),
  ],
];

/** The moments of a purchase at which something may change. */
const MOMENTS = [
  'before filling in',
  'before ordering',
  'while ordering',
  'before agreeing',
  'while agreeing',
] as const;
type Moment = (typeof MOMENTS)[number];

/** `stale page`: the page is opened again elsewhere before the order is placed from the old one. */
const BUYERS = ['api', 'page', 'stale page'] as const;

interface Interleaving {
  buyer: (typeof BUYERS)[number];
  changes: { at: Moment; change: (typeof CHANGES)[number] }[];
}

const EVENTS = MOMENTS.flatMap((at) => CHANGES.map((change) => ({ at, change })));

const INTERLEAVINGS: Interleaving[] = BUYERS.flatMap((buyer) => [
  ...EVENTS.map((event) => ({ buyer, changes: [event] })),
  ...EVENTS.flatMap((one) =>
    EVENTS.filter(({ at }) => MOMENTS.indexOf(at) > MOMENTS.indexOf(one.at)).map((other) => ({
      buyer,
      changes: [one, other],
    })),
  ),
]);

function nameOf({ buyer, changes }: Interleaving): string {
  return `${buyer}: ${changes.map(({ at, change: [what] }) => `${what} ${at}`).join(', ')}`;
}

interface Outcome {
  end: End;
  fault?: string;
}

async function live(shop: OpenShop, { buyer, changes }: Interleaving): Promise<Outcome> {
  const scene = await arrange(shop);
  const now = async (moment: Moment) => {
    for (const { at, change } of changes) if (at === moment) await change[1](scene);
  };
  const path = { checkout_id: scene.checkout_id };
  await now('before filling in');
  const filled = await shop.ask('storefront.updateCheckout', { path, body: answersFor(scene) });
  if (!filled.data) return { end: 'not ordered' };
  see(scene, filled.data);
  const purchase = buyer === 'api' ? overApi(scene) : await onPage(scene, filled.data);
  if (!purchase) return { end: 'not ordered' };
  await now('before ordering');
  if (buyer === 'stale page') await new PaperBrowser(shop.premises.baseUrl).open(filled.data.checkout_url ?? '');
  const [first] = await Promise.all([purchase.order(), now('while ordering')]);
  if (first) return { end: 'ordered as seen', ...faultIn(scene, await orderOf(scene)) };
  if (!purchase.isAsked()) return { end: 'not ordered', ...(await unexpectedOrder(scene)) };
  await now('before agreeing');
  const [second] = await Promise.all([purchase.order(), now('while agreeing')]);
  if (!second) return { end: 'not ordered', ...(await unexpectedOrder(scene)) };
  return { end: 'asked again, then ordered', ...faultIn(scene, await orderOf(scene)) };
}

async function arrange(shop: OpenShop): Promise<Scene> {
  await shop.must('dashboard.updateSettings', { body: { default_tax_rate: '0.19', prices_include_tax: true } });
  const sell = (name: string, price: string) =>
    putOnSale(shop, { name, price, track_inventory: false, requires_shipping: true });
  const products = [await sell('Mug', '10.00'), await sell('Bowl', '20.00')] as Scene['products'];
  const code = `CODE-${randomUUID().slice(0, 8)}`;
  const discount = await shop.must('dashboard.createDiscount', { body: { code, kind: 'percentage', value: '10' } });
  const option = await shop.must('dashboard.createShippingOption', { body: { name: 'Parcel', price: '4.90' } });
  await keepFewOptions(shop);
  const [cart_id = ''] = await putInCarts(shop, [
    products.map((one) => ({ variant_id: onlyVariantOf(one), quantity: 1 })),
  ]);
  await shop.must('storefront.applyDiscount', { path: { cart_id }, body: { code } });
  const begun = await shop.must('storefront.createCheckout', { body: { cart_id } });
  const ids = { cart_id, discount_id: discount.id, shipping_option_id: option.id, checkout_id: begun.id };
  return { shop, products, ...ids, seen: { total: '', prices: {} }, page: undefined };
}

/** The contract allows a hundred. */
async function keepFewOptions({ premises, site_id }: OpenShop): Promise<void> {
  await premises.owner.query(
    `delete from commerce.shipping_options where site_id = $1 and id in (
       select id from commerce.shipping_options where site_id = $1 order by id desc offset 20)`,
    [site_id],
  );
}

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };

function answersFor({ shipping_option_id }: Scene) {
  const given = { email: 'june@example.com', payment_method: 'bank_transfer', shipping_address: ADDRESS } as const;
  return { ...given, shipping_option_id };
}

function see(scene: Scene, { total, items }: Checkout): void {
  scene.seen = { total, prices: Object.fromEntries(items.map(({ id, price }) => [id, price])) };
}

interface Purchase {
  /** Places the order at what was seen; whether there is one now. */
  order(): Promise<boolean>;
  /** Whether the buyer was shown something else instead, and may agree to it. */
  isAsked(): boolean;
}

/** The storefront sends no total the first time, and then the one that it was given. */
function overApi(scene: Scene): Purchase {
  let told: Answer<'storefront.completeCheckout'>['refusal'];
  return {
    async order() {
      const body = told ? { expected_total: String(told.total) } : {};
      const path = { checkout_id: scene.checkout_id };
      const { data, refusal } = await scene.shop.ask('storefront.completeCheckout', { path, body });
      told = refusal?.error === 'price_changed' ? refusal : undefined;
      for (const { line_item_id, price } of (told?.lines ?? []) as { line_item_id: string; price: string | null }[]) {
        if (price === null) delete scene.seen.prices[line_item_id];
        else scene.seen.prices[line_item_id] = price;
      }
      if (told) scene.seen.total = String(told.total);
      return data !== undefined;
    },
    isAsked: () => told !== undefined,
  };
}

/** A browser presses the button of the page that it was shown. */
async function onPage(scene: Scene, { checkout_url }: Checkout): Promise<Purchase | undefined> {
  const browser = new PaperBrowser(scene.shop.premises.baseUrl);
  let page = await browser.open(checkout_url ?? '');
  const isAsked = () => page.html.includes('value="place_order"');
  const read = () => {
    const summary = summaryOf(page.html);
    if (summary) scene.seen = seenOn(summary);
  };
  if (!isAsked()) return undefined;
  read();
  return {
    async order() {
      page = await browser.press(page, 'place_order');
      const isDone = page.html.includes('Order number');
      if (!isDone && isAsked()) read();
      return isDone;
    },
    isAsked,
  };
}

function seenOn({ total, lines }: PageSummary): Seen {
  return { total, prices: Object.fromEntries(lines.map(({ name, price }) => [name, price])) };
}

interface Stored {
  total: string;
  lines: { id: string; name: string; price: string }[];
}

async function orderOf({ shop, checkout_id }: Scene): Promise<Stored | undefined> {
  const { rows } = await shop.premises.owner.query<Stored>(
    `select o.total, (
       select json_agg(json_build_object('id', l.id, 'name', l.name, 'price', l.price::text))
       from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id) as lines
     from commerce.orders o where o.site_id = $1 and o.checkout_id = $2`,
    [shop.site_id, checkout_id],
  );
  return rows[0];
}

function faultIn({ seen }: Scene, stored: Stored | undefined): { fault?: string } {
  const prices = Object.values(stored?.lines ?? []).map(({ id, name, price }) => [
    seen.prices[id] ?? seen.prices[name],
    price,
  ]);
  const same = prices.length === Object.keys(seen.prices).length && prices.every(([one, other]) => one === other);
  if (stored && stored.total === seen.total && same) return {};
  return { fault: `saw ${JSON.stringify(seen)}, was charged ${JSON.stringify(stored)}` };
}

async function unexpectedOrder(scene: Scene): Promise<{ fault?: string }> {
  const stored = await orderOf(scene);
  return stored ? { fault: `was told that there is no order: ${JSON.stringify(stored)}` } : {};
}
