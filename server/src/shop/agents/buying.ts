/**
 * Agents add products to carts and prepare purchases, which the customer confirms and pays. An ambiguous request
 * returns a question and writes nothing. A dry run does the same as a real one and is rolled back, so its response
 * contains no cart or checkout.
 */

import type { AddOutcome, BuyOutcome, Cart, IntentAdd, IntentBuy, Product } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { productsMeeting } from '../../search/rank/filters.ts';
import * as budgets from '../agent-limits/budgets.ts';
import { requireCategories } from '../agent-limits/categories.ts';
import * as carts from '../carts/carts.ts';
import { conditionsOf, type Filters } from '../catalog/filters.ts';
import { withinLimits } from '../catalog/variant-limits.ts';
import { notFound, ValidationError } from '../errors.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { productsByIds, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { prepare } from './checkouts.ts';
import * as agentFacets from './facets.ts';
import { hasFilters, readIntentFilters, withFilters } from './filters.ts';
import { compactUnderstood, type Finding, findProposals, matchNamed, needsOf, sortOf } from './find.ts';
import { readUrls } from './product-links.ts';
import { candidatesOf, type Proposal } from './products.ts';
import { cartOf, checkoutOf, totalsOf } from './views.ts';

/** The chosen variants, one for each product that the sentence asks for, or the reason why none was chosen. */
type Choice =
  | { status: 'chosen'; lines: { proposal: Proposal; quantity: number }[] }
  | { status: 'needs_choice'; question: string }
  | { status: 'not_found' };

interface Chosen {
  finding: Omit<Finding, 'isClear' | 'proposals'> & { proposals: Proposal[] };
  filters?: Filters | undefined;
  choice: Choice;
}

const CANDIDATES = 5;
const NO_COMPLETE_MATCH = 'No product matches the whole request. Is one of these acceptable?';

/**
 * Finds a variant and adds it to a cart. Throws `not_found`, `category_not_allowed`, `budget_exceeded`, and the errors
 * of `carts.addItem`.
 */
export async function findAndAdd(shop: Shop, checkoutDeps: CheckoutDeps, body: IntentAdd): Promise<AddOutcome> {
  const { dry_run = false } = body;
  const { choice, ...chosen } = await choose(shop, body);
  const common = await outcomeOf(shop, checkoutDeps, body, chosen);
  if (choice.status !== 'chosen')
    return { ...common, ...withoutChoice(choice), cart: null, budget: await ownBudget(shop) };
  const cart = await rollBackIfDry(shop, dry_run, () => addToCart(shop, body.cart_id, choice));
  return {
    ...common,
    status: 'added',
    question: null,
    cart: dry_run ? null : cartOf(cart),
    budget: await ownBudget(shop),
  };
}

/**
 * Finds a variant and creates a checkout for the customer to confirm. Throws the errors of `findAndAdd` and of
 * checkouts.
 */
export async function findAndBuy(shop: Shop, checkoutDeps: CheckoutDeps, body: IntentBuy): Promise<BuyOutcome> {
  const { dry_run = false, cart_id } = body;
  const isWholeCart = cart_id && !body.query && !body.product_id && !body.variant_id && !hasFilters(body);
  const { choice, ...chosen } = isWholeCart ? WHOLE_CART : await choose(shop, body);
  const common = await outcomeOf(shop, checkoutDeps, body, chosen);
  const withoutCheckout = { checkout: null, checkout_url: null, continue_url: null, totals: null };
  if (!isWholeCart && choice.status !== 'chosen') {
    return { ...common, ...withoutChoice(choice), ...withoutCheckout, budget: await ownBudget(shop) };
  }
  const checkout = await rollBackIfDry(shop, dry_run, async () => {
    const { id } = choice.status === 'chosen' ? await addToCart(shop, cart_id, choice) : { id: cart_id ?? '' };
    return prepare(shop, checkoutDeps, id, body);
  });
  const budget = await ownBudget(shop);
  const result = dry_run ? null : checkoutOf(checkout, budget);
  return {
    ...common,
    status: 'requires_escalation',
    question: null,
    checkout: result,
    checkout_url: result?.checkout_url ?? null,
    continue_url: result?.checkout_url ?? null,
    totals: totalsOf(checkout),
    budget,
  };
}

const WHOLE_CART: Chosen = {
  finding: { understood: [], excluded: [], proposals: [], needs: [], matches: [] },
  choice: { status: 'not_found' },
};

async function outcomeOf(
  shop: Shop,
  links: CheckoutDeps,
  { dry_run = false, facets, ...body }: IntentAdd,
  { finding, filters }: Omit<Chosen, 'choice'>,
) {
  const urlOf = await readUrls(shop, links);
  const candidates = candidatesOf(finding.proposals, urlOf);
  const understood = withFilters(shop, compactUnderstood(finding.understood), body, filters);
  const { excluded } = finding;
  const needs = needsOf(finding).map((need) => ({ ...need, quantity: body.quantity ?? need.quantity }));
  return {
    ...{ dry_run, currency: shop.currency, understood, excluded, candidates, needs },
    ...(facets && { facets: await agentFacets.ofProducts(shop, finding.matches) }),
  };
}

function withoutChoice(choice: Choice) {
  return choice.status === 'needs_choice'
    ? { status: choice.status, question: choice.question }
    : { status: 'not_found' as const, question: null };
}

async function ownBudget(shop: Shop) {
  return budgets.budgetOf(shop, shop.actorId);
}

/** Runs `work`. In a dry run, uses a savepoint and rolls it back. Throws the same errors in both cases. */
async function rollBackIfDry<T>(shop: Shop, dry_run: boolean, work: () => Promise<T>): Promise<T> {
  if (!dry_run) return work();
  const rollBack = new RollBack<T>();
  try {
    return await shop.savepoint(async () => {
      rollBack.result = await work();
      throw rollBack;
    });
  } catch (error) {
    if (error !== rollBack) throw error;
    return rollBack.result as T;
  }
}

class RollBack<T> extends Error {
  result: T | undefined;
}

/** Chooses a variant: the one in the request, one of the product in the request, or one of the search results. */
async function choose(shop: Shop, body: IntentAdd): Promise<Chosen> {
  const { query = '', product_id, variant_id, limit = CANDIDATES } = body;
  const filters = await readIntentFilters(shop, body);
  if (product_id || variant_id) {
    return { ...(await chooseNamed(shop, body, await readNamed(shop, product_id, variant_id), filters)), filters };
  }
  if (!query && !hasFilters(body)) {
    const msg = 'Send a query, a filter, a product_id or a variant_id.';
    throw new ValidationError([{ loc: ['body', 'query'], msg, type: 'missing' }]);
  }
  const { isClear, ...finding } = await findProposals(shop, query, limit, { filters });
  if (!isClear && (await isOutside(shop, query, finding, filters))) {
    return {
      filters,
      finding: { ...finding, proposals: [], needs: finding.needs.map((need) => ({ ...need, candidates: [] })) },
      choice: { status: 'not_found' },
    };
  }
  const [first] = finding.proposals;
  if (!first) return { finding, filters, choice: { status: 'not_found' } };
  if (!isClear) return { finding, filters, choice: { status: 'needs_choice', question: questionFor(finding) } };
  return { ...chooseForNeeds(body, finding), filters };
}

function chooseForNeeds(body: IntentAdd, finding: Omit<Finding, 'isClear'>): Chosen {
  const chosen = finding.needs.flatMap(({ candidates: [first = -1], understood }) => {
    const product = finding.proposals[first];
    return product ? [chooseVariant(body, understood, product)] : [];
  });
  const proposals = chosen.flatMap((one) => one.proposals).slice(0, Math.max(body.limit ?? CANDIDATES, chosen.length));
  let from = 0;
  const needs = finding.needs.map((need, i) => {
    const own = chosen[i]?.proposals ?? [];
    const candidates = own.map((_each, at) => from + at).filter((at) => at < proposals.length);
    from += own.length;
    return { ...need, candidates };
  });
  const open = chosen.find(({ choice }) => choice.status !== 'chosen');
  const lines = chosen.flatMap(({ choice }) => (choice.status === 'chosen' ? choice.lines : []));
  return { finding: { ...finding, proposals, needs }, choice: open?.choice ?? { status: 'chosen', lines } };
}

/**
 * Whether the searched product exists only outside the agent's categories. If so, products that match fewer words are
 * not offered instead.
 */
async function isOutside(
  shop: Shop,
  query: string,
  { understood, excluded }: Chosen['finding'],
  filters: Filters | undefined,
): Promise<boolean> {
  const isPartial = understood.some(({ fate }) => fate !== 'applied');
  if (!isPartial || !excluded.some(({ reason }) => reason === 'category_not_allowed')) return false;
  const anywhere = await findProposals(shop, query, 1, { categories: [], filters });
  return anywhere.proposals.length > 0 && anywhere.understood.every(({ fate }) => fate === 'applied');
}

function questionFor({ understood }: Chosen['finding']): string {
  return understood.every(({ fate }) => fate === 'applied')
    ? 'Several products match. Which one do you want?'
    : NO_COMPLETE_MATCH;
}

/**
 * Chooses the variant that the request names by id, even if the sentence does not match it. With only a product id, the
 * sentence must identify the variant.
 */
async function chooseNamed(
  shop: Shop,
  body: IntentAdd,
  product: Product,
  filters: Filters | undefined,
): Promise<Chosen> {
  const { query = '', variant_id } = body;
  const narrowed = filters ? await withinFilters(shop, product, filters) : product;
  const variants = narrowed.variants.filter(({ id }) => !variant_id || id === variant_id);
  const { understood, matches, isComplete } = await matchNamed(shop, { ...product, variants }, query);
  const { proposals, choice } = chooseVariant(body, understood, { product, matches });
  const finding = { understood, excluded: [], proposals, needs: [], matches: [product.id] };
  if (variants.length === 0) return { finding, choice };
  if (isComplete || variant_id) return { finding, choice };
  return { finding, choice: { status: 'needs_choice', question: NO_COMPLETE_MATCH } };
}

/**
 * Returns the product with the variants that meet the filters. If the product itself does not meet them, returns it
 * without variants.
 */
async function withinFilters(shop: Shop, product: Product, filters: Filters): Promise<Product> {
  const { where, slow } = conditionsOf(filters.list);
  const named = [sql`p.site_id = ${shop.siteId}`, sql`p.id = ${product.id}`];
  const meets = await shop.one(sql`select from ${productsMeeting({ where: [...named, ...where], slow, among: [] })}`);
  return meets ? withinLimits(product, filters.limits) : { ...product, variants: [] };
}

/**
 * Chooses the only matching variant in stock, if there is exactly one. A sold-out variant can be chosen only by its id,
 * or by the id of a product that has only this variant.
 */
function chooseVariant(
  body: IntentAdd,
  understood: Finding['understood'],
  { product, matches }: { product: Product; matches: { variant: Proposal['variant']; match_reasons: string[] }[] },
): { proposals: Proposal[]; choice: Choice } {
  const all = matches.map((each) => ({ product, ...each }));
  const isNamed = body.variant_id !== undefined || (body.product_id !== undefined && product.variants.length === 1);
  const buyable = withSortedPrice(isNamed ? all : all.filter(({ variant }) => variant.available), sortOf(understood));
  const proposals = (buyable.length > 0 ? buyable : all).slice(0, body.limit ?? CANDIDATES);
  const [only, another] = buyable;
  if (only && !another) {
    const line = { proposal: only, quantity: quantityOf(body, understood) };
    return { proposals, choice: { status: 'chosen', lines: [line] } };
  }
  const question = only
    ? 'Several variants match. Which one do you want?'
    : 'The matching products are out of stock. Is something else acceptable?';
  return { proposals, choice: proposals.length > 0 ? { status: 'needs_choice', question } : { status: 'not_found' } };
}

/** If the sentence asks for the cheapest or most expensive product, keeps only the proposals with that price. */
function withSortedPrice(proposals: Proposal[], sort: string | undefined): Proposal[] {
  const prices = proposals.map(({ variant }) => Number(variant.price));
  const wanted = sort === 'price_asc' ? Math.min(...prices) : sort === 'price_desc' ? Math.max(...prices) : undefined;
  return wanted === undefined ? proposals : proposals.filter(({ variant }) => Number(variant.price) === wanted);
}

function quantityOf({ quantity }: IntentAdd, understood: Finding['understood']): number {
  return quantity ?? Number(understood.find(({ kind }) => kind === 'quantity')?.value ?? 1);
}

/** Returns the product with this id or variant. Throws `not_found` or `category_not_allowed`. */
async function readNamed(shop: Shop, product_id: string | undefined, variant_id: string | undefined) {
  const found = await shop.one<RowOf<'products', 'id'>>(
    sql`select p.id from products p where p.site_id = ${shop.siteId} and ${visible}
      and (${product_id ?? null}::uuid is null or p.id = ${product_id ?? null})
      and (${variant_id ?? null}::uuid is null or exists (
        select from variants v where v.site_id = p.site_id and v.product_id = p.id and v.id = ${variant_id ?? null}))`,
  );
  const [product] = found ? await productsByIds(shop, 'agent', [found.id]) : [];
  if (!product) throw notFound(variant_id ? 'variant' : 'product');
  await requireCategories(shop, shop.agent?.categories ?? [], [product.id]);
  return product;
}

/**
 * Adds the variants to the given cart or to a new one. Throws `budget_exceeded` if the total exceeds the remaining
 * budget.
 */
async function addToCart(
  shop: Shop,
  cart_id: string | undefined,
  { lines: [first, ...others] }: Choice & { status: 'chosen' },
): Promise<Cart> {
  if (!first) throw new Error('Unreachable: a choice without a line.');
  const id = cart_id ?? (await carts.createForAgent(shop)).id;
  const add = ({ proposal, quantity }: typeof first) =>
    carts.addItem(shop, id, { variant_id: proposal.variant.id, quantity });
  let cart = await add(first);
  for (const line of others) cart = await add(line);
  return cart;
}
