import type {
  AddOutcome,
  AgentCandidate,
  BuyOutcome,
  Cart,
  Checkout,
  IntentAdd,
  IntentBuy,
  Product,
} from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as carts from '../carts/carts.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { notFound, ValidationError } from '../errors.ts';
import * as budgets from '../mandates/budgets.ts';
import { requireCategories } from '../mandates/categories.ts';
import { minorUnits } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { productsByIds, visible } from '../products/rows.ts';
import * as shippingOptions from '../shipping/options.ts';
import type { Shop } from '../shop.ts';
import { type Finding, find, inNamed, sortOf, toldUnderstood } from './find.ts';
import { candidateOf, type Proposal } from './products.ts';
import { cartOf, checkoutOf, totalsOf } from './views.ts';

/**
 * What agents put into carts and prepare to buy (interface §4.4, decisions §5). Nothing here pays: a checkout of an agent
 * waits for its customer. What is ambiguous is asked back, and nothing is written then; a dry run does everything and undoes
 * it, so that it tells exactly what the real one would.
 */

/** What is meant, or why it cannot be said. */
type Choice =
  | { status: 'chosen'; proposal: Proposal; quantity: number }
  | { status: 'needs_choice'; question: string }
  | { status: 'not_found' };

interface Chosen {
  finding: Omit<Finding, 'isClear' | 'proposals'> & { proposals: Proposal[] };
  choice: Choice;
}

const CANDIDATES = 5;
const NOTHING_FITS = 'Nothing fits all of what was asked. Is one of these meant all the same?';

/** Finds, and puts it into a cart. Throws `not_found`, `category_not_allowed`, `budget_exceeded`, and what carts throw. */
export async function findAndAdd(shop: Shop, body: IntentAdd): Promise<AddOutcome> {
  const { dry_run = false } = body;
  const { finding, choice } = await choose(shop, body);
  const common = outcomeOf(shop, finding, dry_run);
  if (choice.status !== 'chosen') return { ...common, ...unchosen(choice), cart: null, budget: await ownBudget(shop) };
  const cart = await unlessDry(shop, dry_run, () => fill(shop, body.cart_id, choice));
  return {
    ...common,
    status: 'added',
    question: null,
    cart: dry_run ? null : cartOf(cart),
    budget: await ownBudget(shop),
  };
}

/** Finds, makes the checkout, and tells where the customer confirms it. Throws the same, and what checkouts throw. */
export async function findAndBuy(shop: Shop, checkoutDeps: CheckoutDeps, body: IntentBuy): Promise<BuyOutcome> {
  const { dry_run = false, cart_id } = body;
  const whole = cart_id && !body.query && !body.product_id && !body.variant_id;
  const { finding, choice } = whole ? NOTHING_SOUGHT : await choose(shop, body);
  const common = outcomeOf(shop, finding, dry_run);
  const unbought = { checkout: null, checkout_url: null, continue_url: null, totals: null };
  if (!whole && choice.status !== 'chosen') {
    return { ...common, ...unchosen(choice), ...unbought, budget: await ownBudget(shop) };
  }
  const checkout = await unlessDry(shop, dry_run, async () => {
    const { id } = choice.status === 'chosen' ? await fill(shop, cart_id, choice) : { id: cart_id ?? '' };
    return prepare(shop, checkoutDeps, id, body);
  });
  const told = dry_run ? null : checkoutOf(checkout);
  return {
    ...common,
    status: 'requires_escalation',
    question: null,
    checkout: told,
    checkout_url: told?.checkout_url ?? null,
    continue_url: told?.checkout_url ?? null,
    totals: totalsOf(checkout),
    budget: await ownBudget(shop),
  };
}

const NOTHING_SOUGHT: Chosen = {
  finding: { understood: [], excluded: [], proposals: [] },
  choice: { status: 'not_found' },
};

function outcomeOf(shop: Shop, { understood, excluded, proposals }: Chosen['finding'], dry_run: boolean) {
  const candidates: AgentCandidate[] = proposals.map(candidateOf);
  return { dry_run, currency: shop.currency, understood: toldUnderstood(understood), excluded, candidates };
}

function unchosen(choice: Choice) {
  return choice.status === 'needs_choice'
    ? { status: choice.status, question: choice.question }
    : { status: 'not_found' as const, question: null };
}

async function ownBudget(shop: Shop) {
  return budgets.budgetOf(shop, shop.actorId);
}

/** A dry run takes place behind a savepoint, to which it always goes back; refusals come as they would. */
async function unlessDry<T>(shop: Shop, dry_run: boolean, work: () => Promise<T>): Promise<T> {
  if (!dry_run) return work();
  const undo = new Undo<T>();
  try {
    return await shop.savepoint(async () => {
      undo.result = await work();
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
    return undo.result as T;
  }
}

class Undo<T> extends Error {
  result: T | undefined;
}

/** What the request means: a variant it names, a product whose variant the sentence tells, or what is found. */
async function choose(shop: Shop, body: IntentAdd): Promise<Chosen> {
  const { query = '', product_id, variant_id, limit = CANDIDATES } = body;
  if (product_id || variant_id) return chooseNamed(shop, body, await named(shop, product_id, variant_id));
  if (!query) {
    const msg = 'Say what is wanted in query, or name a product_id or variant_id.';
    throw new ValidationError([{ loc: ['body', 'query'], msg, type: 'missing' }]);
  }
  const { isClear, ...finding } = await find(shop, query, limit);
  const [first] = finding.proposals;
  if (!first) return { finding, choice: { status: 'not_found' } };
  if (!isClear) return { finding, choice: { status: 'needs_choice', question: questionFor(finding) } };
  const { proposals, choice } = chosenOf(body, finding.understood, first);
  return { finding: { ...finding, proposals }, choice };
}

function questionFor({ understood }: Chosen['finding']): string {
  return understood.every(({ fate }) => fate === 'applied')
    ? 'Several products fit. Which one is meant?'
    : NOTHING_FITS;
}

/** A variant that is named is the one, whatever the sentence says; of a product it has to be told which. */
async function chooseNamed(shop: Shop, body: IntentAdd, product: Product): Promise<Chosen> {
  const { query = '', variant_id } = body;
  const variants = product.variants.filter(({ id }) => !variant_id || id === variant_id);
  const { understood, meant, isMet } = await inNamed(shop, { ...product, variants }, query);
  const { proposals, choice } = chosenOf(body, understood, { product, meant });
  const finding = { understood, excluded: [], proposals };
  if (isMet || variant_id) return { finding, choice };
  return { finding, choice: { status: 'needs_choice', question: NOTHING_FITS } };
}

/** Of one product: the variant, when only one is meant that can be bought. A sentence never chooses one that is sold out. */
function chosenOf(
  body: IntentAdd,
  understood: Finding['understood'],
  { product, meant }: { product: Product; meant: { variant: Proposal['variant']; match_reasons: string[] }[] },
): { proposals: Proposal[]; choice: Choice } {
  const all = meant.map((each) => ({ product, ...each }));
  const isNamed = body.variant_id !== undefined || (body.product_id !== undefined && product.variants.length === 1);
  const buyable = extreme(isNamed ? all : all.filter(({ variant }) => variant.available), sortOf(understood));
  const proposals = (buyable.length > 0 ? buyable : all).slice(0, body.limit ?? CANDIDATES);
  const [only, another] = buyable;
  if (only && !another) {
    return { proposals, choice: { status: 'chosen', proposal: only, quantity: quantityOf(body, understood) } };
  }
  const question = only
    ? 'There are several variants. Which one is meant?'
    : 'What fits is out of stock. Is something else meant?';
  return { proposals, choice: proposals.length > 0 ? { status: 'needs_choice', question } : { status: 'not_found' } };
}

/** The cheapest or the dearest, where that was asked for. */
function extreme(proposals: Proposal[], sort: string | undefined): Proposal[] {
  const prices = proposals.map(({ variant }) => Number(variant.price));
  const wanted = sort === 'price_asc' ? Math.min(...prices) : sort === 'price_desc' ? Math.max(...prices) : undefined;
  return wanted === undefined ? proposals : proposals.filter(({ variant }) => Number(variant.price) === wanted);
}

function quantityOf({ quantity }: IntentAdd, understood: Finding['understood']): number {
  return quantity ?? Number(understood.find(({ kind }) => kind === 'quantity')?.value ?? 1);
}

/** The product that the request names. Throws `not_found`, and `category_not_allowed` for one outside the mandate. */
async function named(shop: Shop, product_id: string | undefined, variant_id: string | undefined) {
  const found = await shop.one<{ id: string }>(
    sql`select p.id from products p where p.site_id = ${shop.siteId} and ${visible}
      and (${product_id ?? null}::uuid is null or p.id = ${product_id ?? null})
      and (${variant_id ?? null}::uuid is null or exists (
        select from variants v where v.site_id = p.site_id and v.product_id = p.id and v.id = ${variant_id ?? null}))`,
  );
  const [product] = found ? await productsByIds(shop, 'public', [found.id]) : [];
  if (!product) throw notFound(variant_id ? 'variant' : 'product');
  await requireCategories(shop, shop.agent?.categories ?? [], [product.id]);
  return product;
}

/** Puts the pieces into the cart given or a new one. Throws `budget_exceeded` when it comes to more than is left. */
async function fill(
  shop: Shop,
  cart_id: string | undefined,
  { proposal, quantity }: Choice & { status: 'chosen' },
): Promise<Cart> {
  const id = cart_id ?? (await carts.createForAgent(shop)).id;
  const cart = await carts.addItem(shop, id, { variant_id: proposal.variant.id, quantity });
  await budgets.requireBudget(shop, shop.actorId, minorUnits(cart.total, shop.currencyDigits));
  return cart;
}

/** The checkout of a cart, with the address given or the customer's own, and the shipping option given or the cheapest delivery. */
async function prepare(shop: Shop, checkoutDeps: CheckoutDeps, cart_id: string, body: IntentBuy): Promise<Checkout> {
  const { shipping_address, shipping_option_id, note } = body;
  const begun = await checkouts.create(shop, checkoutDeps, cart_id);
  const address = shipping_address ?? begun.shipping_address;
  const country = address?.country;
  const option =
    shipping_option_id ?? (begun.requires_shipping && country ? await cheapest(shop, cart_id, country) : undefined);
  const checkout = await checkouts.update(shop, checkoutDeps, begun.id, {
    ...(shipping_address && { shipping_address }),
    ...(option && { shipping_option_id: option }),
    ...(note !== undefined && { note }),
  });
  await requireCategories(
    shop,
    shop.agent?.categories ?? [],
    checkout.items.map(({ product_id }) => product_id ?? ''),
  );
  await budgets.requireBudget(shop, shop.actorId, minorUnits(checkout.total, shop.currencyDigits));
  return checkout;
}

/** Of those that deliver, as whoever gives an address expects; fetching it oneself only where nothing is delivered. */
async function cheapest(shop: Shop, cart_id: string, country: string): Promise<string | undefined> {
  const choices = await shippingOptions.choicesForCart(shop, cart_id, country);
  const delivered = choices.filter(({ kind }) => kind === 'delivery');
  const [first] = (delivered.length > 0 ? delivered : choices).toSorted((a, b) => Number(a.price) - Number(b.price));
  return first?.id;
}
