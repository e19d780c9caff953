/**
 * The numbers of products in the whole database at which the work is measured. The database grows from one size to the
 * next.
 */
export const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** The number of products of the shop that is measured at every size. All other shops are made of copies of it. */
export const SMALL = 1_000;
/** The number of products of the large shop, which is measured once it exists. */
export const LARGE = 50_000;

/** Returns the sizes of the shops to add: first large shops, then many small ones of decreasing size. */
export function shopsAddedFor(products: number): number[] {
  const step = STEPS[products];
  if (!step) throw new Error(`There is no step to ${products} products; there are ${SIZES.join(', ')}.`);
  return [...Array.from({ length: step.large }, () => LARGE), ...tail(step.tail, step.shops)];
}

/** At the largest size there are 2,000 shops, ten of them large. */
const STEPS: Record<number, { large: number; tail: number; shops: number }> = {
  1000: { large: 0, tail: 0, shops: 0 },
  10000: { large: 0, tail: 9_000, shops: 19 },
  100000: { large: 1, tail: 40_000, shops: 180 },
  1000000: { large: 9, tail: 450_000, shops: 1_790 },
};

/** Distributes this many products over this many shops, the largest shop first. */
function tail(products: number, shops: number): number[] {
  const weights = Array.from({ length: shops }, (_, rank) => 1 / (rank + EVENNESS));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const sizes = weights.map((weight) => Math.floor((weight / sum) * products));
  const left = products - sizes.reduce((all, size) => all + size, 0);
  return sizes.map((size, rank) => size + (rank < left ? 1 : 0));
}

const EVENNESS = 40;
