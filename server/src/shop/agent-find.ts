import type { Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import { find as findProducts } from '../search/find.ts';
import { termsOf } from '../search/text.ts';
import type { Proposal } from './agent-products.ts';
import type { Shop } from './shop.ts';

/** What an agent's sentence leads to, and whether it is clear what is meant. */
export interface Finding {
  understood: Understood[];
  excluded: Excluded[];
  /** Best first, those beyond the limit left out. */
  proposals: Proposal[];
  /** Whether the first one is what is meant, and the others are not. */
  isClear: boolean;
}

/** The best product has to be so much better than the next to be taken for the one that is meant. */
const CLEAR_LEAD = 1.3;

/** Finds within the categories of the agent that calls. Three statements; more where the shop does not know a word. */
export async function find(shop: Shop, query: string, limit: number): Promise<Finding> {
  const { categories = [] } = shop.agent ?? {};
  const { understood, excluded, candidates } = await findProducts(shop, {
    query,
    // The next one is wanted for the comparison, even when one is asked for.
    limit: Math.max(limit, 2),
    categories: categories.length > 0 ? categories : null,
  });
  const [, second] = candidates;
  const isSorted = understood.some(({ kind }) => kind === 'sort');
  const isAhead = !second || second.score * CLEAR_LEAD <= 1 || isSorted;
  return {
    understood,
    // Only these kinds of constraints are conditions.
    excluded: excluded as Excluded[],
    proposals: candidates.slice(0, limit),
    isClear: isAhead && understood.every(({ fate }) => fate === 'applied'),
  };
}

/** The variants that have all option values which the sentence names; all of them where it names none. */
export function variantsMeant(product: Product, sentence: string): Variant[] {
  const terms = ` ${termsOf(sentence).join(' ')} `;
  const meant = product.options.reduce((left, option) => {
    const key = `option${option.position}` as 'option1' | 'option2' | 'option3';
    const values = option.values.filter((value) => terms.includes(` ${termsOf(value).join(' ')} `));
    // Of `red` and `dark red` the longer is meant.
    const longest = Math.max(0, ...values.map((value) => value.length));
    const named = values.filter((value) => value.length === longest);
    return named.length === 0 ? left : left.filter((variant) => named.includes(variant[key] ?? ''));
  }, product.variants);
  return meant.length > 0 ? meant : product.variants;
}

/** A product as it stands in a list: with the variant of the values named that can be bought, the cheapest first. */
export function propose(product: Product, sentence: string): Proposal {
  const byPrice = variantsMeant(product, sentence).toSorted((a, b) => Number(a.price) - Number(b.price));
  const variant = byPrice.find(({ available }) => available) ?? byPrice[0];
  if (!variant) throw new Error(`The product ${product.id} has no variant.`);
  return { product, variant, match_reasons: [] };
}
