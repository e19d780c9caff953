import { setTimeout as sleep } from 'node:timers/promises';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { bearer, callOf, newCustomer, openAgent, SCOPES, scopeOpening, WITHOUT_SCOPE } from '../testing/agents.ts';
import { takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { attempt, CATEGORY_LISTS, openScene, type Scene, WAYS } from './agent-categories.ts';
import { AgentPurchases } from './agent-purchases.ts';

/** Tries to exceed an agent's scopes, categories, budget and lifetime. */
export const E6: Proof = {
  id: 'E6',
  promise: 'An agent never exceeds the scopes, categories, budget and lifetime that its customer gave it.',
  async run(trial) {
    const chance = chanceOf(trial.seed);
    const scoped = await inWorldWithScopes(trial);
    return onPremises(trial, async ({ violations, openShop: open }) => {
      for (const violation of scoped.violations) violations.add(violation);
      const shop = await open();
      await takeTransfers(shop);
      const scene = await openScene(shop);
      const categories = await overCategories(trial, scene, chance);
      const changes = await overChanges(trial, scene);
      const budgets = await withoutBudget(scene);
      const ended = await untilTheEnd(trial, shop);
      const note =
        `${scoped.tried} calls with some of the scopes, ${categories} tries to leave the categories, ${changes} changes ` +
        `before the order, ${budgets} purchases without a budget, ${ended} calls around the end of a token`;
      const tried = scoped.tried + categories + changes + budgets + ended;
      return { tried, unit: 'tries', violations: violations.list, note } satisfies Figures;
    });
  },
};

/**
 * Calls every agent operation with each set of scopes; in the short form, with single scopes. The call must be rejected
 * with `insufficient_scope` unless the set contains the operation's scope.
 */
function inWorldWithScopes(trial: Trial): Promise<{ tried: number; violations: string[] }> {
  return inWorld(trial, async (world) => {
    const [tenant] = world.tenants;
    const operations = operationTable.filter(
      ({ surface, name }) => surface === 'agent' && !WITHOUT_SCOPE.includes(name),
    );
    const calls = await Promise.all(operations.map((operation) => validCall(world, tenant, operation)));
    let tried = 0;
    for (const scopes of pick(
      trial.size,
      SCOPES.map((scope) => [scope]),
      subsets(),
    )) {
      const { id } = await newCustomer(world, tenant);
      const agent = await openAgent(world, tenant, id, 1_000_000, { scopes });
      for (const call of calls) {
        const { operation, path, query, body } = call;
        const one = callOf(operation.id, bearer(agent.secret), { path, query, body });
        const { status, text } = await world.send(one, tenant);
        const refused = status === 403 && text.includes('"insufficient_scope"');
        tried += 1;
        if (refused === scopes.includes(scopeOpening(operation))) {
          world.violations.add(
            `${operation.id} with ${scopes.join(' ') || 'no scope'}: expected ${refused ? 'to be allowed' : 'insufficient_scope'}, got ${status} ${text.slice(0, 300)}`,
          );
        }
      }
    }
    return { tried, violations: world.violations.list };
  });
}

function subsets(): string[][] {
  return Array.from({ length: 2 ** SCOPES.length }, (_, bits) => SCOPES.filter((_scope, i) => bits & (1 << i)));
}

/** Tries to reach every product in every way with every agent's categories. The short form tries a sample. */
async function overCategories({ size }: Trial, scene: Scene, chance: Chance): Promise<number> {
  const all = CATEGORY_LISTS.flatMap((allowed) =>
    scene.samples.flatMap((target) => Object.keys(WAYS).map((way) => ({ allowed, target, way }))),
  );
  // The short form tries the search that finds many products with every list of categories.
  const wide = all.filter(
    ({ target, way }) => target === scene.samples[0] && way === 'found by the words of a category',
  );
  // The short form tries each way on a product that is in none of the agent's categories.
  const foreign = all.filter(({ allowed, target }) => allowed === CATEGORY_LISTS[0] && target.name === 'Riddle');
  const chosen = pick(size, [...wide, ...foreign, ...chance.some(all, 20)], all);
  for (const one of chosen) await attempt(scene, one);
  return chosen.length;
}

/**
 * Changes after which a prepared checkout contains a product outside of the agent's categories: the customer adds such
 * a product, or the product's type changes.
 */
const CHANGES: Record<string, (agent: AgentPurchases, changed: Changed) => Promise<unknown>> = {
  'its customer adds something else': ({ shop, as }, { cart_id, foreign }) =>
    shop.must('storefront.addCartItem', { ...as, path: { cart_id }, body: { variant_id: foreign, quantity: 1 } }),
  'the product becomes one of another type': ({ shop }, { product_id }) =>
    shop.must('dashboard.updateProduct', { path: { product_id }, body: { product_type: 'Garden' } }),
  'the product loses its type': ({ shop }, { product_id }) =>
    shop.must('dashboard.updateProduct', { path: { product_id }, body: { product_type: null } }),
};

/** Changes that remove a product from a category that came from a collection. */
const MOVES: typeof CHANGES = {
  'the product leaves the collection': ({ shop }, { product_id, collection_id }) =>
    shop.must('dashboard.removeCollectionProduct', { path: { product_id, collection_id } }),
  'the collection is taken from the storefront': ({ shop }, { collection_id }) =>
    shop.must('dashboard.updateCollection', { path: { collection_id }, body: { published: false } }),
  'the collection gets another handle': ({ shop }, { collection_id }) =>
    shop.must('dashboard.updateCollection', { path: { collection_id }, body: { handle: `moved-${collection_id}` } }),
  'the collection is deleted': ({ shop }, { collection_id }) =>
    shop.must('dashboard.deleteCollection', { path: { collection_id } }),
};

interface Changed {
  cart_id: string;
  product_id: string;
  collection_id: string;
  /** A variant of a product outside the agent's categories. */
  foreign: string;
}

/**
 * A checkout can be confirmed if nothing has changed. After one of the changes, the confirmation must be refused, and
 * so must another purchase of the cart by the agent.
 */
async function overChanges({ size }: Trial, { shop, samples }: Scene): Promise<number> {
  const foreign = samples.find(({ name }) => name === 'Riddle')?.variant_id ?? '';
  const rounds = pick(size, 1, 25);
  const all = [...Object.entries(CHANGES), ...Object.entries(MOVES), ['nothing changes', async () => {}] as const];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, change] of all) {
      const handle = `picked-${crypto.randomUUID()}`;
      const agent = await AgentPurchases.open(shop, 1_000_000, name in MOVES ? [handle] : ['kitchen']);
      const { product_id, variant_id } = await agent.sell(1000, { product_type: name in MOVES ? 'Other' : 'Kitchen' });
      const body = { title: handle, handle, product_ids: [product_id] };
      const { id: collection_id } = await shop.must('dashboard.createCollection', { body });
      const { id, cart_id } = await agent.prepare({ variant_id });
      await change(agent, { cart_id, product_id, collection_id, foreign });
      const [bought, confirmed] = [await agent.buy({ cart_id }), await agent.confirmWhatever(id)];
      const outcomes = [bought, confirmed].map(({ status, refusal }) => refusal?.error ?? status).join(' and ');
      const expected = name === 'nothing changes' ? '200 and 200' : 'category_not_allowed and category_not_allowed';
      if (outcomes !== expected)
        shop.premises.violations.add(`${name} before the order: expected ${expected}, got ${outcomes}`);
    }
  }
  return rounds * all.length * 2;
}

/** With a budget of 0, an agent must not be able to add or buy products. */
async function withoutBudget({ shop, samples }: Scene): Promise<number> {
  const agent = await AgentPurchases.open(shop, 0);
  let tried = 0;
  for (const { product_id, variant_id, name } of samples) {
    for (const wish of [{ product_id }, { variant_id }, { variant_id, dry_run: true }, { query: name, variant_id }]) {
      for (const answer of [await agent.add(wish), await agent.buy(wish)]) {
        tried += 1;
        if (answer.status !== 402)
          shop.premises.violations.add(`a purchase without a budget: expected 402, got ${JSON.stringify(answer)}`);
      }
    }
  }
  const { rows } = await shop.premises.owner.query(
    'select from commerce.carts where site_id = $1 and agent_token_id = $2',
    [shop.site_id, agent.agent.id],
  );
  if (rows.length > 0) shop.premises.violations.add(`an agent without a budget left ${rows.length} carts`);
  return tried;
}

/**
 * Calls again and again until after the token has expired. Calls before the expiry must succeed; later ones must get
 * 401.
 */
async function untilTheEnd({ size }: Trial, shop: OpenShop): Promise<number> {
  const tokens = pick(size, 4, 120);
  const lanes = pick(size, 4, 8);
  let tried = 0;
  for (let done = 0; done < tokens; done += lanes) {
    const counts = await Promise.all(Array.from({ length: lanes }, () => acrossTheEnd(shop)));
    for (const count of counts) tried += count;
  }
  return tried;
}

const LIFE_MS = 400;
const LATE_CALLS = 3;

async function acrossTheEnd(shop: OpenShop): Promise<number> {
  const { agent, by } = await AgentPurchases.open(shop, 1_000_000);
  const { owner, violations } = shop.premises;
  await owner.query(
    `update commerce.tokens set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
     where site_id = $1 and id = $2`,
    [shop.site_id, agent.id, LIFE_MS],
  );
  const isOver = async () => {
    const { rows } = await owner.query<{ over: boolean }>(
      'select expires_at <= clock_timestamp() as over from commerce.tokens where site_id = $1 and id = $2',
      [shop.site_id, agent.id],
    );
    return rows[0]?.over ?? true;
  };
  let calls = 0;
  for (let late = 0; late < LATE_CALLS; calls += 1) {
    const before = await isOver();
    const { status } = await shop.ask('agent.getCustomer', by);
    const after = await isOver();
    // A call that is in progress when the token expires may get either response.
    if (before && status !== 401) violations.add(`a call after the token expired: expected 401, got ${status}`);
    if (!after && status !== 200) violations.add(`a call before the token expired: expected 200, got ${status}`);
    if (before) late += 1;
    else await sleep(5);
  }
  return calls;
}
