/** Operations in which an agent describes a product by a sentence or names it by id. */

import type { AgentCandidate } from '@commerce-backend/spec';
import { agentCart, agentCheckout, agentTotals, calling, prepare } from './agents.ts';
import { budgetOf, requireCategories } from './budgets.ts';
import type { Call, Caller, Handlers } from './call.ts';
import { addItem } from './cart-changes.ts';
import { newCart } from './carts.ts';
import { filtered } from './catalog.ts';
import { type FilterQuery, filtersIn } from './filters.ts';
import { checkoutView } from './pricing.ts';
import { candidateOf, findVariant, isAvailable, variantName, visibleProducts } from './products.ts';
import { Invalid, notFound } from './refusal.ts';
import { isWithin, matchOf, type Wish, wishOf } from './search.ts';
import type { State, StoredCart, StoredVariant } from './state.ts';

interface Found {
  variant: StoredVariant;
  reasons: string[];
  score: number;
  /** Whether the product has every word of the request. */
  isComplete: boolean;
}

/** Returns one variant of each product that matches, best matches first. */
function findProposals({ state, agent }: Caller, wish: Wish, query: FilterQuery): Found[] {
  const products = filtered(state, filtersIn(query), agent?.terms.categories);
  const found = products.flatMap((product): Found[] => {
    const { matched, score } = matchOf(product, wish.words);
    const fitting = product.variants.filter((variant) => isWithin(variant, wish, state.digits));
    const named = fitting.filter((variant) => namesIn(variant, wish.words).length > 0);
    const among = named.length > 0 ? named : fitting;
    const variant = among.find(isAvailable) ?? among[0];
    if (!variant || (wish.words.length > 0 && matched.length === 0)) return [];
    const limits = wish.understood.map(({ text }) => `price: ${text}`);
    const reasons = matched.length > 0 ? [`words: ${matched.join(', ')}`, ...limits] : ['in the list', ...limits];
    return [{ variant, reasons, score, isComplete: matched.length === wish.words.length }];
  });
  return found.sort((a, b) => Number(b.isComplete) - Number(a.isComplete) || b.score - a.score);
}

function namesIn(variant: StoredVariant, words: string[]): string[] {
  const name = variantName(variant)?.toLowerCase() ?? '';
  return words.filter((word) => name.includes(word));
}

type Intent = FilterQuery &
  Pick<Call<'agent.findAndBuy'>['body'], 'query' | 'product_id' | 'variant_id' | 'quantity' | 'limit'>;

interface Choice {
  wish: Wish;
  candidates: AgentCandidate[];
  chosen: StoredVariant | undefined;
  question: string | null;
}

const CANDIDATES = 5;

/**
 * Chooses the variant that the request names or clearly describes, otherwise returns a question. Throws `not_found` or
 * `category_not_allowed`.
 */
function choose(call: Caller, { query = '', product_id, variant_id, limit = CANDIDATES, ...rest }: Intent): Choice {
  const { state } = call;
  const wish = wishOf(query, state);
  const view = (found: Found[]) => found.slice(0, limit).map((one) => candidateOf(state, one.variant, one.reasons));
  if (product_id || variant_id) {
    const named = namedVariants(call, product_id, variant_id, wish);
    const reasons = ['named by its id'];
    const candidates = named.slice(0, limit).map((variant) => candidateOf(state, variant, reasons));
    if (named.length === 1) return { wish, candidates, chosen: named[0], question: null };
    const question = named.length > 1 ? 'Several variants match. Which one do you want?' : null;
    return { wish, candidates, chosen: undefined, question };
  }
  if (!query && Object.keys(filtersIn(rest)).length === 0) {
    const msg = 'Send a query, a filter, a product_id or a variant_id.';
    throw new Invalid([{ loc: ['body', 'query'], msg, type: 'missing' }]);
  }
  const found = findProposals(call, wish, rest);
  const complete = found.filter(({ isComplete }) => isComplete);
  const [best, second] = complete;
  const candidates = view(found);
  if (!best) {
    const question = 'No product matches the whole request. Is one of these acceptable?';
    return { wish, candidates, chosen: undefined, question: found.length > 0 ? question : null };
  }
  if (second && second.score * 1.3 > best.score) {
    return { wish, candidates, chosen: undefined, question: 'Several products match. Which one do you want?' };
  }
  const variants = best.variant.product.variants.filter(isAvailable);
  const named = variants.filter((variant) => namesIn(variant, wish.words).length > 0);
  if (variants.length === 1 || named.length === 1) return { wish, candidates, chosen: best.variant, question: null };
  return { wish, candidates, chosen: undefined, question: 'Several variants match. Which one do you want?' };
}

function namedVariants(
  { state, agent }: Caller,
  product_id: string | undefined,
  variant_id: string | undefined,
  wish: Wish,
): StoredVariant[] {
  const product = variant_id
    ? findVariant(state, variant_id)?.product
    : visibleProducts(state).find(({ id }) => id === product_id);
  if (!product || (product_id && product.id !== product_id)) throw notFound(variant_id ? 'variant' : 'product');
  if (agent) requireCategories(state, agent, [product]);
  if (variant_id) return product.variants.filter(({ id }) => id === variant_id);
  const buyable = product.variants.length === 1 ? product.variants : product.variants.filter(isAvailable);
  const named = buyable.filter((variant) => namesIn(variant, wish.words).length > 0);
  return named.length > 0 ? named : buyable;
}

function commonOf(call: Caller, { wish, candidates }: Choice, dry_run: boolean) {
  return {
    ...{ dry_run, currency: call.state.data.currency, understood: wish.understood, excluded: [], candidates },
    needs: [],
  };
}

function addChosen(call: Caller, cart_id: string | undefined, variant: StoredVariant, quantity = 1): StoredCart {
  return addItem(call, cart_id ?? newCart(call).id, { variant_id: variant.id, quantity });
}

/** Runs the work, and rolls it back in a dry run. */
function tried<Done>(state: State, dry_run: boolean, work: () => Done): Done {
  if (!dry_run) return work();
  const [carts, checkouts] = [new Map(state.carts), new Map(state.checkouts)];
  const lines = new Map([...carts.values()].map((cart) => [cart, cart.lines]));
  const kept = new Map([...checkouts.values()].map((one) => [one, { ...one, held: new Map(one.held) }]));
  const variants = state.products.flatMap((product) => product.variants);
  const reserved = new Map(variants.map((variant) => [variant, variant.reserved]));
  try {
    return work();
  } finally {
    Object.assign(state, { carts, checkouts });
    for (const [cart, before] of lines) cart.lines = before;
    for (const [checkout, before] of kept) Object.assign(checkout, before);
    for (const [variant, before] of reserved) variant.reserved = before;
  }
}

function findAndAdd(call: Call<'agent.findAndAdd'>) {
  const { dry_run = false, cart_id, quantity, ...intent } = call.body;
  const choice = choose(call, intent);
  const { chosen, question } = choice;
  const cart =
    chosen && tried(call.state, dry_run, () => agentCart(call.state, addChosen(call, cart_id, chosen, quantity)));
  const status = cart ? ('added' as const) : question ? ('needs_choice' as const) : ('not_found' as const);
  const budget = budgetOf(call.state, calling(call));
  return { ...commonOf(call, choice, dry_run), status, question, cart: (!dry_run && cart) || null, budget };
}

const WHOLE_CART: Choice = {
  wish: { words: [], min: undefined, max: undefined, understood: [] },
  ...{ candidates: [], chosen: undefined, question: null },
};

function findAndBuy(call: Call<'agent.findAndBuy'>) {
  const { dry_run = false, cart_id, quantity, query, product_id, variant_id, limit, ...preparation } = call.body;
  const hasFilters = Object.keys(filtersIn(preparation)).length > 0;
  const isWholeCart = cart_id && !query && !product_id && !variant_id && !hasFilters;
  const choice = isWholeCart ? WHOLE_CART : choose(call, { ...preparation, query, product_id, variant_id, limit });
  const { chosen, question } = choice;
  const isBought = isWholeCart || chosen;
  const checkout = isBought
    ? tried(call.state, dry_run, () => {
        const id = chosen ? addChosen(call, cart_id, chosen, quantity).id : (cart_id ?? '');
        return checkoutView(call.state, prepare(call, id, preparation));
      })
    : undefined;
  const budget = budgetOf(call.state, calling(call));
  const shown = checkout && !dry_run ? agentCheckout(checkout, budget) : null;
  return {
    ...commonOf(call, choice, dry_run),
    status: isBought ? ('requires_escalation' as const) : question ? ('needs_choice' as const) : ('not_found' as const),
    ...{
      question,
      checkout: shown,
      checkout_url: shown?.checkout_url ?? null,
      continue_url: shown?.checkout_url ?? null,
    },
    ...{ totals: checkout ? agentTotals(checkout) : null, budget },
  };
}

export const intentHandlers: Handlers = {
  'agent.findProducts': (call) => {
    const wish = wishOf(call.body.query ?? '', call.state);
    const found = findProposals(call, wish, call.body).slice(0, call.body.limit ?? CANDIDATES);
    const { dry_run: _, ...common } = commonOf(
      call,
      { ...WHOLE_CART, wish, candidates: found.map((one) => candidateOf(call.state, one.variant, one.reasons)) },
      false,
    );
    return { ...common, status: found.length > 0 ? 'found' : 'not_found' };
  },
  'agent.findAndAdd': findAndAdd,
  'agent.findAndBuy': findAndBuy,
};
