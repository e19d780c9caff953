/**
 * Latent semantic analysis: which words mean alike in a shop, learnt from its own texts alone. A product is the sum of its
 * words, a query too, both seen in the few dimensions in which the shop's products differ most; the cosine of the two says
 * how well the product is what the words are about, whichever words it uses itself.
 */

/** More tell little more, fewer mix up what is different. */
export const DIMENSIONS = 128;
/** A word of one product says nothing of others, and one of every fifth too little. */
const LEAST_PRODUCTS = 2;
const LARGEST_SHARE = 0.2;
/** The commonest of the words that are left. */
const MOST_TERMS = 30_000;
/** The subspace is close after so many multiplications; more did not find better. */
const ROUNDS = 2;

/** What a word counts in a text. */
export type Weights = Map<string, number>;

/** By term: its direction, times how rare it is. */
export type Model = Map<string, Float32Array>;

/** How often the terms of each field stand in a product, a field's weight for the first mention, less for the next. */
export function weigh(fields: { terms: string[]; weight: number }[]): Weights {
  const weights: Weights = new Map();
  for (const { terms, weight } of fields) {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      weights.set(term, (weights.get(term) ?? 0) + weight * (1 + Math.log(count)));
    }
  }
  return weights;
}

/** Learns from texts. Takes seconds for some ten thousand, so call it where nobody waits. The same texts give the same. */
export function learn(texts: Weights[]): Model {
  const rarities = raritiesOf(texts);
  const terms = [...rarities.keys()];
  const rows = texts.map((text) => rowOf(text, rarities));
  const basis = randomBasis(terms.length);
  const products = new Float32Array(texts.length * DIMENSIONS);
  for (let round = 0; round < ROUNDS; round += 1) {
    multiply(rows, basis, products);
    multiplyTransposed(rows, products, basis);
    orthonormalize(basis, terms.length);
  }
  return new Map(
    terms.map((term, at) => {
      const direction = basis.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
      return [term, direction.map((value) => value * (rarities.get(term)?.rarity ?? 0))];
    }),
  );
}

/** Where a text stands; nothing when it has none of the words. */
export function placeOf(model: Model, text: Weights): Float32Array | undefined {
  const sum = new Float32Array(DIMENSIONS);
  let known = false;
  for (const [term, weight] of text) {
    const vector = model.get(term);
    if (!vector) continue;
    known = true;
    for (let i = 0; i < DIMENSIONS; i += 1) sum[i] = (sum[i] ?? 0) + weight * (vector[i] ?? 0);
  }
  return known ? sum : undefined;
}

/** The cosines of these vectors to one direction, -1 to 1; for what has no vector, as great as those of the others on average. */
export function cosinesTo(direction: ArrayLike<number>, vectors: (Int8Array | undefined)[]): number[] {
  const cosines = vectors.map((vector) => vector && cosine(direction, vector));
  const known = cosines.filter((value) => value !== undefined);
  const average = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  return cosines.map((value) => value ?? average);
}

/** From -1 to 1; 0 where one of them is nothing. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, squareA, squareB] = [0, 0, 0];
  for (let i = 0; i < DIMENSIONS; i += 1) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return product === 0 ? 0 : product / Math.sqrt(squareA * squareB);
}

interface Rarity {
  at: number;
  rarity: number;
}

function raritiesOf(texts: Weights[]): Map<string, Rarity> {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of text.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const kept = [...counts]
    .filter(([, count]) => count >= LEAST_PRODUCTS && count <= LARGEST_SHARE * texts.length)
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
    .slice(0, MOST_TERMS);
  return new Map(kept.map(([term, count], at) => [term, { at, rarity: Math.log(texts.length / count) }]));
}

/** The terms of a text by their number, with what each counts; as a whole of length 1. */
interface Row {
  terms: Int32Array;
  values: Float32Array;
}

function rowOf(text: Weights, rarities: Map<string, Rarity>): Row {
  const known = [...text].flatMap(([term, weight]) => {
    const found = rarities.get(term);
    return found ? [{ at: found.at, value: weight * found.rarity }] : [];
  });
  const length = Math.hypot(...known.map(({ value }) => value)) || 1;
  return {
    terms: Int32Array.from(known, ({ at }) => at),
    values: Float32Array.from(known, ({ value }) => value / length),
  };
}

/** Any basis would do to begin with; a fixed one makes the same of the same texts. */
function randomBasis(rows: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length: rows * DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

function multiply(rows: Row[], by: Float32Array, into: Float32Array): void {
  into.fill(0);
  rows.forEach(({ terms, values }, row) => {
    for (let each = 0; each < terms.length; each += 1) {
      addScaled(into, row * DIMENSIONS, by, (terms[each] ?? 0) * DIMENSIONS, values[each] ?? 0);
    }
  });
}

function multiplyTransposed(rows: Row[], by: Float32Array, into: Float32Array): void {
  into.fill(0);
  rows.forEach(({ terms, values }, row) => {
    for (let each = 0; each < terms.length; each += 1) {
      addScaled(into, (terms[each] ?? 0) * DIMENSIONS, by, row * DIMENSIONS, values[each] ?? 0);
    }
  });
}

function addScaled(into: Float32Array, at: number, from: Float32Array, start: number, factor: number): void {
  for (let i = 0; i < DIMENSIONS; i += 1) into[at + i] = (into[at + i] ?? 0) + factor * (from[start + i] ?? 0);
}

/** Makes the columns orthonormal, by Cholesky; twice, because once leaves too much of rounding. */
function orthonormalize(columns: Float32Array, rows: number): void {
  for (let pass = 0; pass < 2; pass += 1) solveRows(columns, rows, cholesky(gram(columns, rows)));
}

function gram(columns: Float32Array, rows: number): Float64Array {
  const products = new Float64Array(DIMENSIONS * DIMENSIONS);
  for (let row = 0; row < rows; row += 1) {
    const start = row * DIMENSIONS;
    for (let i = 0; i < DIMENSIONS; i += 1) {
      const value = columns[start + i] ?? 0;
      for (let j = 0; j <= i; j += 1) {
        products[i * DIMENSIONS + j] = (products[i * DIMENSIONS + j] ?? 0) + value * (columns[start + j] ?? 0);
      }
    }
  }
  return products;
}

/** A column that adds nothing to those before it would divide by zero. */
const TINY = 1e-12;

/** The lower triangle whose product with its transpose is the matrix; in place. */
function cholesky(matrix: Float64Array): Float64Array {
  const at = (row: number, column: number) => matrix[row * DIMENSIONS + column] ?? 0;
  for (let i = 0; i < DIMENSIONS; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let rest = at(i, j);
      for (let k = 0; k < j; k += 1) rest -= at(i, k) * at(j, k);
      matrix[i * DIMENSIONS + j] = i === j ? Math.sqrt(Math.max(rest, TINY)) : rest / at(j, j);
    }
  }
  return matrix;
}

function solveRows(columns: Float32Array, rows: number, triangle: Float64Array): void {
  for (let row = 0; row < rows; row += 1) {
    const start = row * DIMENSIONS;
    for (let i = 0; i < DIMENSIONS; i += 1) {
      let rest = columns[start + i] ?? 0;
      for (let k = 0; k < i; k += 1) rest -= (triangle[i * DIMENSIONS + k] ?? 0) * (columns[start + k] ?? 0);
      columns[start + i] = rest / (triangle[i * DIMENSIONS + i] ?? 1);
    }
  }
}
