import { randomUUID } from 'node:crypto';
import { PaperBrowser } from '../../server/test/paper-browser.ts';
import {
  onlyVariantOf,
  type Product,
  putInCarts,
  putOnSale,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { orderedAs } from './review.ts';
import { byReview, onPage, overApi } from './reviewing-buyers.ts';

/**
 * Makes one or two changes, by the merchant or in another tab, at all moments of a purchase, including while the order
 * is placed. Tests both the API and the hosted page.
 */
export const D6: Proof = {
  id: 'D6',
  promise:
    'Whatever changes during a checkout, shoppers are only charged prices that they saw, and goods go only to an address that they saw.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const chance = chanceOf(trial.seed);
      const all = pick(trial.size, [...BEFORE_ORDERING, ...chance.some(INTERLEAVINGS, 16)], INTERLEAVINGS);
      const left = [...all];
      const lane = async () => {
        const shop = await openShop();
        await takeTransfers(shop);
        for (let next = left.pop(); next; next = left.pop()) {
          for (const fault of await live(shop, next)) violations.add(`${nameOf(next)}: ${fault}`);
        }
      };
      await Promise.all([lane(), lane(), lane()]);
      const note = `${CHANGES.length} kinds of change`;
      return { tried: all.length, unit: 'interleavings', violations: violations.list, note } satisfies Figures;
    }),
};

/** The objects of one purchase. */
interface Scene {
  shop: OpenShop;
  products: [Product, Product];
  cart_id: string;
  discount_id: string;
  shipping_option_id: string;
  checkout_id: string;
}

type Change = (scene: Scene) => Promise<unknown>;

const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };
const ELSEWHERE = { ...ADDRESS, address1: 'Hafenstr. 1', city: 'Hamburg', postal_code: '20095' };

const reprice = ({ shop }: Scene, { id: product_id }: Product, price: string) =>
  shop.ask('dashboard.updateProduct', { path: { product_id }, body: { price } });
const settings = ({ shop }: Scene, body: { default_tax_rate?: string; prices_include_tax?: boolean }) =>
  shop.ask('dashboard.updateSettings', { body });
const editCode = ({ shop, discount_id }: Scene, body: { value?: string; active?: boolean; ends_at?: string }) =>
  shop.ask('dashboard.updateDiscount', { path: { discount_id }, body });
const editShipping = ({ shop, shipping_option_id }: Scene, body: { price?: string; active?: boolean }) =>
  shop.ask('dashboard.updateShippingOption', { path: { shipping_option_id }, body });

const otherTab = (
  { shop, checkout_id }: Scene,
  body: { email?: string; note?: string; shipping_address?: typeof ELSEWHERE },
) => shop.ask('storefront.updateCheckout', { path: { checkout_id }, body });

/**
 * Changes that may affect the total or the delivery. A change that the shop rejects, such as deleting a product in a
 * checkout, has no effect.
 */
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
  ['another tab changes the address', (scene) => otherTab(scene, { shipping_address: ELSEWHERE })],
  ['another tab changes the e-mail', (scene) => otherTab(scene, { email: 'other@example.com' })],
  ['another tab changes the note', (scene) => otherTab(scene, { note: 'Ring twice' })],
];

/** The moments of a purchase at which changes are made. */
const MOMENTS = [
  'before filling in',
  'before ordering',
  'while ordering',
  'before agreeing',
  'while agreeing',
] as const;
type Moment = (typeof MOMENTS)[number];

/**
 * `api`: the storefront sends only the total, as in the first published contract, so only a change of the total is
 * noticed. `review`: the storefront sends the review_token. `page`: the buyer orders on the hosted page. `stale page`:
 * the buyer opens the page again in another tab, and then orders from the old tab.
 */
const BUYERS = ['api', 'review', 'page', 'stale page'] as const;

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

/** The single changes that are made after the review has been read. */
const BEFORE_ORDERING = INTERLEAVINGS.filter(
  ({ buyer, changes }) => buyer === 'review' && changes.length === 1 && changes[0]?.at === 'before ordering',
);

function nameOf({ buyer, changes }: Interleaving): string {
  return `${buyer}: ${changes.map(({ at, change: [what] }) => `${what} ${at}`).join(', ')}`;
}

/** Buys while somebody makes the changes. Returns the faults. */
async function live(shop: OpenShop, { buyer, changes }: Interleaving): Promise<string[]> {
  const scene = await arrange(shop);
  const now = async (moment: Moment) => {
    for (const { at, change } of changes) if (at === moment) await change[1](scene);
  };
  const path = { checkout_id: scene.checkout_id };
  await now('before filling in');
  const { data } = await shop.ask('storefront.updateCheckout', { path, body: answersFor(scene) });
  if (!data) return [];
  const purchase =
    buyer === 'api' ? overApi(scene, data) : buyer === 'review' ? byReview(scene, data) : await onPage(scene, data);
  if (!purchase) return [];
  await now('before ordering');
  if (buyer === 'stale page') await new PaperBrowser(shop.premises.baseUrl).open(data.checkout_url ?? '');
  const [first] = await Promise.all([purchase.order(), now('while ordering')]);
  if (first) return purchase.differences();
  if (purchase.isAsked()) {
    await now('before agreeing');
    const [second] = await Promise.all([purchase.order(), now('while agreeing')]);
    if (second) return purchase.differences();
  }
  const unexpected = await orderedAs(shop, scene.checkout_id);
  return unexpected ? [`was told that there is no order: ${JSON.stringify(unexpected)}`] : [];
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
  return { shop, products, ...ids };
}

/** Deletes old shipping options, because the contract allows at most a hundred. */
async function keepFewOptions({ premises, site_id }: OpenShop): Promise<void> {
  await premises.owner.query(
    `delete from commerce.shipping_options where site_id = $1 and id in (
       select id from commerce.shipping_options where site_id = $1 order by id desc offset 20)`,
    [site_id],
  );
}

function answersFor({ shipping_option_id }: Scene) {
  const given = { email: 'june@example.com', payment_method: 'bank_transfer', shipping_address: ADDRESS } as const;
  return { ...given, shipping_option_id };
}
