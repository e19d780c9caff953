/** Products inside and outside the categories of agents, and all ways in which an agent could reach them. */

import { onlyVariantOf, putOnSale } from '../testing/products-and-checkouts.ts';
import type { Answer, OpenShop } from '../testing/test-server.ts';
import { AgentPurchases } from './agent-purchases.ts';

export interface Sample {
  name: string;
  product_id: string;
  variant_id: string;
  /** All categories of the product, in lower case. */
  categories: string[];
}

export interface Scene {
  shop: OpenShop;
  samples: Sample[];
}

/**
 * Agents' categories as customers may spell them. Only product types and collection handles match, ignoring case; the
 * other entries match nothing.
 */
export const CATEGORY_LISTS: string[][] = [
  ...[['Kitchen'], ['kITCHEN'], ['tools'], ['Tools'], ['orange'], ['Kitchen', 'tools'], ['Gärten']],
  ...[
    ['hidden'],
    ['later'],
    ['Kitche'],
    ['Kitchen '],
    ['Kitch%'],
    ['Kitch_n'],
    ['%'],
    ['{Kitchen}'],
    ['Kitchen,Garden'],
  ],
  ...[["Kitchen' or '1'='1"], ['utensil'], ['Alder'], ['stone'], ['null'], ['no such category']],
];

/** One product for each way to be in a category, or to look like a product in a category. */
const SAMPLES: Record<string, { type?: string; tags?: string[]; collection?: object; in?: string[] }> = {
  Mug: { type: 'Kitchen', tags: ['utensil'], in: ['kitchen'] },
  Ladle: { type: 'KITCHEN', in: ['kitchen'] },
  Trowel: { type: 'gÄRTEN', in: ['gärten'] },
  Spade: { type: 'Garden', collection: { handle: 'tools' }, in: ['garden', 'tools'] },
  Carrot: {
    type: 'Garden',
    tags: ['orange'],
    collection: { handle: 'orange', rules: [{ field: 'tag', operator: 'equals', value: 'orange' }] },
    in: ['garden', 'orange'],
  },
  Seed: { type: 'Garden', collection: { handle: 'hidden', published: false }, in: ['garden'] },
  Bulb: { type: 'Garden', collection: { handle: 'later' }, in: ['garden'] },
  'Kitchen hose': { type: 'Garden', tags: ['Kitchen', 'tools'], in: ['garden'] },
  Cupboard: { type: 'Kitchenware', in: ['kitchenware'] },
  Riddle: {},
};

export async function openScene(shop: OpenShop): Promise<Scene> {
  const samples: Sample[] = [];
  for (const [name, { type, tags = [], collection, in: categories = [] }] of Object.entries(SAMPLES)) {
    const product = await putOnSale(shop, {
      ...{ name, price: '10', requires_shipping: false, track_inventory: false, tags, product_type: type ?? null },
      ...{ vendor: 'Alder', description: 'For the Kitchen and for tools.', metadata: { material: 'stone Kitchen' } },
    });
    if (collection) {
      const isAutomatic = 'rules' in collection;
      const body = { title: name, ...collection, ...(!isAutomatic && { product_ids: [product.id] }) };
      await shop.must('dashboard.createCollection', { body });
    }
    samples.push({ name, product_id: product.id, variant_id: onlyVariantOf(product), categories });
  }
  await shop.premises.owner.query(
    `update commerce.collections set published_at = now() + interval '1 day' where site_id = $1 and handle = 'later'`,
    [shop.site_id],
  );
  return { shop, samples };
}

export function isAllowed({ categories }: Sample, allowed: string[]): boolean {
  return allowed.some((name) => categories.includes(name.toLowerCase()));
}

type Outcome = Pick<Answer<'agent.findAndBuy'>, 'status' | 'refusal'> & { data: unknown };

interface Attempt {
  agent: AgentPurchases;
  target: Sample;
  /** Another product that the agent may buy; undefined if there is none. */
  decoy: Sample | undefined;
}

/**
 * Ways to see, add or buy a product. The ways with `names` identify the product, so they must succeed if the product is
 * allowed.
 */
export const WAYS: Record<string, { names?: true; go(attempt: Attempt): Promise<Outcome> }> = {
  'read by id': {
    names: true,
    go: ({ agent: { shop, by }, target: { product_id } }) =>
      shop.ask('agent.getProduct', { ...by, path: { product_id } }),
  },
  'found by name': {
    go: ({ agent: { shop, by }, target: { name } }) => shop.ask('agent.findProducts', { ...by, body: { query: name } }),
  },
  'found by the words of a category': {
    go: ({ agent: { shop, by }, target: { name } }) =>
      shop.ask('agent.findProducts', { ...by, body: { query: `${name} in Kitchen or tools or garden`, limit: 10 } }),
  },
  'listed with all': {
    go: ({ agent: { shop, by } }) => shop.ask('agent.searchCatalog', { ...by, query: { limit: 50 } }),
  },
  searched: {
    go: ({ agent: { shop, by }, target: { name } }) => shop.ask('agent.searchCatalog', { ...by, query: { q: name } }),
  },
  'filtered by type': {
    go: ({ agent: { shop, by } }) => shop.ask('agent.searchCatalog', { ...by, query: { product_type: ['Garden'] } }),
  },
  'filtered by collection': {
    go: ({ agent: { shop, by } }) => shop.ask('agent.searchCatalog', { ...by, query: { collection: 'tools' } }),
  },
  'added by product': { names: true, go: ({ agent, target: { product_id } }) => agent.add({ product_id }) },
  'added by variant': { names: true, go: ({ agent, target: { variant_id } }) => agent.add({ variant_id }) },
  'added by name': { go: ({ agent, target: { name } }) => agent.add({ query: name }) },
  'added as a variant of another product': {
    go: ({ agent, target: { variant_id }, decoy }) => agent.add({ variant_id, product_id: decoy?.product_id }),
  },
  'added to a cart of allowed products': {
    names: true,
    async go({ agent, target: { variant_id }, decoy }) {
      const cart = decoy && (await agent.add({ variant_id: decoy.variant_id })).data?.cart;
      return agent.add({ variant_id, ...(cart && { cart_id: cart.id }) });
    },
  },
  'put in an empty cart': {
    names: true,
    async go({ agent: { shop, by }, target: { variant_id } }) {
      const { cart } = await shop.must('agent.createCart', by);
      const body = { variant_id, quantity: 1 };
      const { status, data, refusal } = await shop.ask('agent.addCartItem', {
        ...by,
        path: { cart_id: cart.id },
        body,
      });
      return { status: status === 201 ? 200 : status, data, refusal };
    },
  },
  'added in a dry run': { go: ({ agent, target: { variant_id } }) => agent.add({ variant_id, dry_run: true }) },
  'bought by product': { names: true, go: ({ agent, target: { product_id } }) => agent.buy({ product_id }) },
  'bought by variant': { names: true, go: ({ agent, target: { variant_id } }) => agent.buy({ variant_id }) },
  'bought by name': { go: ({ agent, target: { name } }) => agent.buy({ query: name }) },
  'bought in a dry run': { go: ({ agent, target: { variant_id } }) => agent.buy({ variant_id, dry_run: true }) },
  'bought with a cart to which its customer added it': {
    async go({ agent, target: { variant_id }, decoy }) {
      const { data } = await agent.add({ variant_id: (decoy ?? { variant_id }).variant_id });
      const cart_id = data?.cart?.id;
      if (!cart_id) return { status: 403, refusal: undefined, data: undefined };
      const body = { variant_id, quantity: 1 };
      await agent.shop.must('storefront.addCartItem', { ...agent.as, path: { cart_id }, body });
      return agent.buy({ cart_id });
    },
  },
};

/** Tries one way and reports violations. */
export async function attempt(
  { shop, samples }: Scene,
  { allowed, target, way }: { allowed: string[]; target: Sample; way: string },
): Promise<void> {
  const agent = await AgentPurchases.open(shop, 1_000_000, allowed);
  const decoy = samples.find((sample) => sample !== target && isAllowed(sample, allowed));
  const { names, go } = WAYS[way] as (typeof WAYS)[string];
  const { status, data, refusal } = await go({ agent, target, decoy });
  const say = (fault: string) =>
    shop.premises.violations.add(`${allowed.join(' and ')}: ${target.name} ${way}: ${fault}`);
  // The response must not contain any product outside the categories.
  const shown = samples.filter(({ product_id }) => JSON.stringify(data ?? {}).includes(product_id));
  for (const sample of shown) if (!isAllowed(sample, allowed)) say(`it shows ${sample.name}`);
  const refused = [403, 404].includes(status);
  if (!refused && status !== 200) say(`${status} ${JSON.stringify(refusal)}`);
  if (names && isAllowed(target, allowed) !== (status === 200)) say(`${status} ${JSON.stringify(refusal)}`);
}
