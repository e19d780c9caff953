/**
 * Latent semantic analysis: learns from a shop's own texts which words have similar meanings. The vector of a product
 * or query is the sum of its terms' vectors, which have few dimensions: those in which the shop's products differ most.
 * The cosine of two vectors is their semantic similarity, even if they share no words.
 */

/** Fewer dimensions confuse different meanings; more hardly improve relevance. */
export const DIMENSIONS = 128;
/**
 * A term in only one product relates that product to no other. A term in more than a fifth of all products relates too
 * many.
 */
const MIN_DOCUMENT_FREQUENCY = 2;
const MAX_DOCUMENT_SHARE = 0.2;
/** Only the most frequent terms are kept. */
const MAX_TERMS = 30_000;
/** The number of subspace iterations; more did not improve relevance. */
const ITERATIONS = 2;

/** The weight of each term in a text. */
export type TermWeights = Map<string, number>;

/** The vector of each term: its direction, scaled by its inverse document frequency. */
export type Model = Map<string, Float32Array>;

/** Computes term weights: for each field, one plus the logarithm of the frequency, times the weight of the field. */
export function termWeights(fields: { terms: string[]; weight: number }[]): TermWeights {
  const weights: TermWeights = new Map();
  for (const { terms, weight } of fields) {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      weights.set(term, (weights.get(term) ?? 0) + weight * (1 + Math.log(count)));
    }
  }
  return weights;
}

/**
 * Trains a model, always with the same result for the same texts. Ten thousand texts take seconds, so do not call it
 * while serving a request.
 */
export function trainModel(texts: TermWeights[]): Model {
  const idfs = idfByTerm(texts);
  const terms = [...idfs.keys()];
  const rows = texts.map((text) => rowOf(text, idfs));
  const basis = randomBasis(terms.length);
  const products = new Float32Array(texts.length * DIMENSIONS);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    multiply(rows, basis, products);
    multiplyTransposed(rows, products, basis);
    orthonormalize(basis, terms.length);
  }
  return new Map(
    terms.map((term, at) => {
      const direction = basis.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS);
      return [term, direction.map((value) => value * (idfs.get(term)?.idf ?? 0))];
    }),
  );
}

/** The vector of a text; undefined if the model has none of its terms. */
export function embed(model: Model, text: TermWeights): Float32Array | undefined {
  const sum = new Float32Array(DIMENSIONS);
  let hasTerms = false;
  for (const [term, weight] of text) {
    const vector = model.get(term);
    if (!vector) continue;
    hasTerms = true;
    for (let i = 0; i < DIMENSIONS; i += 1) sum[i] = (sum[i] ?? 0) + weight * (vector[i] ?? 0);
  }
  return hasTerms ? sum : undefined;
}

/** The cosine of each vector to a direction, from -1 to 1. A missing vector gets the average of the others. */
export function cosinesTo(direction: ArrayLike<number>, vectors: (Int8Array | undefined)[]): number[] {
  const cosines = vectors.map((vector) => vector && cosine(direction, vector));
  const defined = cosines.filter((value) => value !== undefined);
  const average = defined.reduce((sum, value) => sum + value, 0) / Math.max(1, defined.length);
  return cosines.map((value) => value ?? average);
}

/** The cosine of two vectors, from -1 to 1; 0 if one of them is the zero vector. */
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

interface TermIdf {
  at: number;
  idf: number;
}

function idfByTerm(texts: TermWeights[]): Map<string, TermIdf> {
  const counts = new Map<string, number>();
  for (const text of texts) for (const term of text.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const kept = [...counts]
    .filter(([, count]) => count >= MIN_DOCUMENT_FREQUENCY && count <= MAX_DOCUMENT_SHARE * texts.length)
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
    .slice(0, MAX_TERMS);
  return new Map(kept.map(([term, count], at) => [term, { at, idf: Math.log(texts.length / count) }]));
}

/** The numbers of the terms in a text and their weights, normalized to length 1. */
interface Row {
  terms: Int32Array;
  values: Float32Array;
}

function rowOf(text: TermWeights, idfs: Map<string, TermIdf>): Row {
  const entries = [...text].flatMap(([term, weight]) => {
    const found = idfs.get(term);
    return found ? [{ at: found.at, value: weight * found.idf }] : [];
  });
  const length = Math.hypot(...entries.map(({ value }) => value)) || 1;
  return {
    terms: Int32Array.from(entries, ({ at }) => at),
    values: Float32Array.from(entries, ({ value }) => value / length),
  };
}

/** Any initial basis would do; the fixed seed makes training deterministic. */
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

/** Orthonormalizes the columns (Cholesky QR), twice, because one pass leaves too much rounding error. */
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

/** Prevents a division by zero if a column depends on earlier ones. */
const TINY = 1e-12;

/** Replaces a matrix with its Cholesky factor (a lower triangle). */
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

/** Solves `triangle · x = row` for each row, and replaces the row with x. */
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
