import type { Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import { search } from '../search/search.ts';
import { isJoining, termsOf } from '../search/text.ts';
import type { Conditions } from '../search/wishes.ts';
import { inCategories } from './agent-categories.ts';
import type { Proposal } from './agent-products.ts';
import { productsByIds } from './product-rows.ts';
import type { Shop } from './shop.ts';

/** What an agent's sentence leads to: ranked proposals, what was understood, and what was left out and why. */
export interface Finding {
  understood: Understood[];
  excluded: Excluded[];
  /** Best first, those beyond the limit left out. */
  proposals: Proposal[];
  /** Whether the first one is what is meant, and the others are not. */
  isClear: boolean;
}

/** So much better than the next a product has to be to be taken for the one that is meant. */
const CLEAR_LEAD = 1.3;

/** Finds within the categories of the agent that calls. Three statements; more where the shop does not know a word. */
export async function find(shop: Shop, sentence: string, limit: number): Promise<Finding> {
  const categories = shop.agent?.categories ?? [];
  const found = await search(shop, sentence, [inCategories(categories)]);
  const sorted = orderOf(found.understood);
  const best = sorted ? [...found.best].sort(sorted) : found.best;
  const products = await productsByIds(
    shop,
    'public',
    best.slice(0, limit).map(({ product_id }) => product_id),
  );
  const proposals = products.map((product) => propose(product, sentence, found.understood));
  const excluded = excludedOf(found.counts, found.conditions);
  if (categories.length > 0) {
    const { total } = await search(shop, sentence, []);
    if (total > found.total) excluded.push({ reason: 'category_not_allowed', count: total - found.total });
  }
  const [first, second] = best;
  const kept = found.understood.every(({ fate }) => fate === 'applied');
  const ahead =
    !!first && (!second || first.score >= CLEAR_LEAD * second.score || (!!sorted && sorted(first, second) < 0));
  return { understood: found.understood, excluded, proposals, isClear: kept && ahead };
}

interface Ranked {
  price: string;
  sales_count: number;
}

/** The order that the sentence itself asks for. */
function orderOf(understood: Understood[]): ((a: Ranked, b: Ranked) => number) | undefined {
  const wish = understood.find(({ kind }) => kind === 'sort')?.value;
  if (wish === 'price_asc') return (a, b) => Number(a.price) - Number(b.price);
  if (wish === 'price_desc') return (a, b) => Number(b.price) - Number(a.price);
  if (wish === 'best_selling') return (a, b) => b.sales_count - a.sales_count;
  return undefined;
}

/** The variants that have all option values which the sentence names; all of them where it names none. */
export function variantsMeant(product: Product, sentence: string): { variants: Variant[]; named: string[] } {
  const terms = ` ${termsOf(sentence).join(' ')} `;
  const named: string[] = [];
  const variants = product.options.reduce((left, option) => {
    const key = `option${option.position}` as 'option1' | 'option2' | 'option3';
    const values = option.values.filter((value) => terms.includes(` ${termsOf(value).join(' ')} `));
    // Of `red` and `dark red` the longer is meant.
    const longest = Math.max(0, ...values.map((value) => value.length));
    const meant = values.filter((value) => value.length === longest);
    if (meant.length === 0) return left;
    named.push(...meant);
    return left.filter((variant) => meant.includes(variant[key] ?? ''));
  }, product.variants);
  return variants.length > 0 ? { variants, named } : { variants: product.variants, named: [] };
}

/** The best variant: among those meant the first that can be bought, the cheapest first. */
export function propose(product: Product, sentence: string, understood: Understood[]): Proposal {
  const { variants, named } = variantsMeant(product, sentence);
  const byPrice = [...variants].sort((a, b) => Number(a.price) - Number(b.price));
  const variant = byPrice.find(({ available }) => available) ?? byPrice[0];
  if (!variant) throw new Error(`The product ${product.id} has no variant.`);
  return { product, variant, match_reasons: reasonsOf(product, variant, sentence, { named, understood }) };
}

function reasonsOf(
  product: Product,
  variant: Variant,
  sentence: string,
  { named, understood }: { named: string[]; understood: Understood[] },
): string[] {
  const wanted = new Set(termsOf(sentence).filter((term) => term.length > 1 && !isJoining(term)));
  const shared = (text: string | null | undefined) =>
    [...new Set(termsOf(text ?? ''))].filter((term) => wanted.has(term));
  const reasons: string[] = [];
  const tell = (place: string, terms: string[]) => {
    if (terms.length > 0) reasons.push(`${place} matches ${terms.slice(0, 6).join(', ')}`);
  };
  tell('name', shared(product.name));
  tell('type', shared(product.product_type));
  tell('vendor', shared(product.vendor));
  tell('tags', shared(product.tags.join(' ')));
  tell('attributes', shared(Object.values(product.metadata ?? {}).join(' ')));
  if (named.length > 0)
    reasons.push(`option ${variant.available ? 'available' : 'sold out'}: ${termsOf(named.join(' ')).join(', ')}`);
  for (const { kind, text, fate } of understood) {
    if (fate === 'applied' && kind !== 'quantity' && kind !== 'sort') reasons.push(`meets: ${text}`);
  }
  return reasons.slice(0, 10).map((reason) => reason.slice(0, 200));
}

/** How many products were left out for each condition that was not given up. */
function excludedOf(counts: Map<number, number>, { wishes }: Conditions): Excluded[] {
  const kept = Math.min(...counts.keys(), 2 ** 30);
  return wishes.flatMap(({ constraint }, i) => {
    const bit = 1 << i;
    const reason = REASONS[constraint.kind]?.(constraint);
    if (!reason || (kept & bit) > 0) return [];
    const count = [...counts].reduce((sum, [bits, products]) => sum + ((bits & bit) > 0 ? products : 0), 0);
    return count > 0 ? [{ reason, count }] : [];
  });
}

const REASONS: Partial<Record<Understood['kind'], (constraint: { max?: number }) => Excluded['reason']>> = {
  price: ({ max }) => (max === undefined ? 'below_price' : 'above_price'),
  in_stock: () => 'out_of_stock',
  rating: () => 'attribute',
  reviews: () => 'attribute',
  value: () => 'option',
};
