import { randomUUID } from 'node:crypto';
import { order, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Answer, type OpenShop, onPremises } from '../testing/test-server.ts';

/**
 * Two people read the same object, and each adds something. They send the whole list or map, so an unchecked write
 * would delete the other person's addition. Both send the version that they read. The person whose write is rejected
 * reads again and adds to the new state.
 */
export const L3: Proof = {
  id: 'L3',
  promise: 'When two people edit the same object, no change is lost without an error.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const shop = await openShop();
      await takeTransfers(shop);
      const things = await thingsOf(shop);
      const pairs = pick(trial.size, 16, 64);
      let refused = 0;
      for (const thing of things) {
        for (let pair = 1; pair <= pairs; pair += 1) {
          const editors = await Promise.all([edit(shop, thing, `a${pair}`), edit(shop, thing, `b${pair}`)]);
          refused += editors.reduce((sum, tries) => sum + tries - 1, 0);
          const { has } = await thing.read();
          for (const added of [`a${pair}`, `b${pair}`]) {
            if (!has(added))
              violations.add(
                `${thing.noun}, pair ${pair}: the change ${added} was accepted, but overwritten by the other editor`,
              );
          }
        }
        trial.progress(`${thing.noun}, ${shop.requests} requests`);
      }
      if (refused === 0) violations.add('No save was rejected with a conflict, so the proof shows nothing.');
      const note = `${things.length} nouns × ${pairs} pairs; ${refused} refusals, each edited again`;
      return { tried: shop.requests, unit: 'requests', violations: violations.list, note } satisfies Figures;
    }),
};

/** An object as it was read: its version, and functions that check for an addition and that make one. */
interface Reading {
  etag: string;
  has(added: string): boolean;
  add(added: string, if_match: string): Promise<{ status: number; refusal: Answer<'dashboard.getProduct'>['refusal'] }>;
}

interface Thing {
  noun: string;
  read(): Promise<Reading>;
}

const TRIES = 10;

/** Adds to an object. If somebody else has changed it, reads it again and retries. Returns the number of attempts. */
async function edit(shop: OpenShop, thing: Thing, added: string): Promise<number> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { etag, add } = await thing.read();
    const { status, refusal } = await add(added, etag);
    if (status < 300) return tries;
    if (status !== 412 || refusal?.etag === etag) {
      shop.premises.violations.add(
        `${thing.noun}: a save: expected 2xx, or 412 with a new etag, got ${status} ${JSON.stringify(refusal)}`,
      );
    }
  }
  shop.premises.violations.add(`${thing.noun}: a save was rejected ${TRIES} times in a row`);
  return TRIES;
}

function reading<Value>(etag: string | undefined, values: Value[], has: Reading['has'], add: Reading['add']): Reading {
  if (etag === undefined) throw new Error(`A reading of ${values.length} values has no version.`);
  return { etag, has, add };
}

async function thingsOf(shop: OpenShop): Promise<Thing[]> {
  const product = await putOnSale(shop, { track_inventory: false });
  const { id: order_id } = await order(shop, [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  const customer = await shop.must('dashboard.createCustomer', { body: { email: `${randomUUID()}@example.com` } });
  const body = { title: 'Kitchen', product_ids: [product.id] };
  const collection = await shop.must('dashboard.createCollection', { body });
  return [
    productTags(shop, product.id),
    productImages(shop, product.id),
    orderMetadata(shop, order_id),
    customerMetadata(shop, customer.id),
    collectionText(shop, collection.id),
    synonyms(shop),
  ];
}

function productTags(shop: OpenShop, product_id: string): Thing {
  const path = { product_id };
  return {
    noun: 'product',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getProduct', { path });
      const tags = data?.tags ?? [];
      const add: Reading['add'] = (added, if_match) =>
        shop.ask('dashboard.updateProduct', { path, body: { tags: [...tags.slice(-40), added] }, if_match });
      return reading(etag, tags, (added) => tags.includes(added), add);
    },
  };
}

/** A product that is saved as a whole: each save sends its last 40 images and one more. */
function productImages(shop: OpenShop, product_id: string): Thing {
  const path = { product_id };
  return {
    noun: 'whole product',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getProduct', { path });
      const images = data?.images ?? [];
      const urlOf = (added: string) => `https://images.example/${added}.png`;
      const add: Reading['add'] = (added, if_match) => {
        const body = { images: [...images.slice(-40).map(({ id }) => ({ id })), { url: urlOf(added) }] };
        return shop.ask('dashboard.replaceProduct', { path, body, if_match });
      };
      return reading(etag, images, (added) => images.some(({ url }) => url === urlOf(added)), add);
    },
  };
}

type Map = Record<string, string>;

function mapOf(
  etag: string | undefined,
  metadata: Map,
  write: (metadata: Map, if_match: string) => ReturnType<Reading['add']>,
) {
  // The database does not keep the order of a map's keys.
  const kept = Object.entries(metadata)
    .sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
    .slice(-40);
  const add: Reading['add'] = (added, if_match) => write({ ...Object.fromEntries(kept), [added]: 'here' }, if_match);
  return reading(etag, kept, (added) => added in metadata, add);
}

function orderMetadata(shop: OpenShop, order_id: string): Thing {
  const path = { order_id };
  return {
    noun: 'order',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getOrder', { path });
      return mapOf(etag, data?.metadata ?? {}, (metadata, if_match) =>
        shop.ask('dashboard.updateOrder', { path, body: { metadata }, if_match }),
      );
    },
  };
}

function customerMetadata(shop: OpenShop, customer_id: string): Thing {
  const path = { customer_id };
  return {
    noun: 'customer',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getCustomer', { path });
      return mapOf(etag, data?.metadata ?? {}, (metadata, if_match) =>
        shop.ask('dashboard.updateCustomer', { path, body: { metadata }, if_match }),
      );
    },
  };
}

function collectionText(shop: OpenShop, collection_id: string): Thing {
  const path = { collection_id };
  return {
    noun: 'collection',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getCollection', { path });
      const words = (data?.description ?? '').split(' ').slice(-40);
      const add: Reading['add'] = (added, if_match) => {
        const body = { description: [...words, added].join(' ') };
        return shop.ask('dashboard.updateCollection', { path, body, if_match });
      };
      return reading(etag, words, (added) => words.includes(added), add);
    },
  };
}

function synonyms(shop: OpenShop): Thing {
  return {
    noun: 'settings',
    async read() {
      const { data, etag } = await shop.ask('dashboard.getSettings');
      const known = data?.search_synonyms ?? [];
      const add: Reading['add'] = (added, if_match) => {
        const search_synonyms = [...known.slice(-40), { term: added, synonyms: ['mug'] }];
        return shop.ask('dashboard.updateSettings', { body: { search_synonyms }, if_match });
      };
      return reading(etag, known, (added) => known.some(({ term }) => term === added), add);
    },
  };
}
