/**
 * Products in the answers of tools. Models pay for each token, so null fields are left out, the variants of a product are rows, and
 * fields of little use are shortened or left out until the answer fits. The API's own responses have all fields.
 */

import type { AgentCandidate, AgentProduct } from '@commerce-backend/spec';
import type { OperationId } from '../http/contract/contract.ts';
import { CONTENT_TRUST, sanitizeMerchantText } from '../shop/merchant-text.ts';

type Fields = Record<string, unknown>;

export const PRODUCT: OperationId = 'agent.getProduct';

/** What the description of the tool adds about its answer. */
export const ABOUT_ROWS =
  'variants.rows has a row for each variant; variants.columns names its cells. A price or an availability that is the same for all ' +
  'variants is only in the product. name joins the values of content.options.';

/** The fields of the answer whose type is not that of the API. */
export const PRODUCT_SHAPE = { variants: { type: 'object' } };

/** 500 tokens of three characters. */
const MOST_CHARACTERS = 1_500;

interface Lengths {
  description: number;
  /** Whether the rows have the SKUs. */
  skus: boolean;
  /** Maximum number of tags, and of attributes. */
  lists: number;
}
const LENGTHS: Lengths[] = [
  { description: 1_000, skus: true, lists: 50 },
  { description: 400, skus: true, lists: 20 },
  { description: 300, skus: false, lists: 10 },
  { description: 160, skus: false, lists: 5 },
  { description: 80, skus: false, lists: 3 },
];

export function compactProduct(product: AgentProduct): Fields {
  return fitting(LENGTHS, MOST_CHARACTERS, (lengths) => shortened(product, lengths));
}

/** Returns the first result that has at most this many characters as JSON, or else the last one. */
function fitting<Step, Result>(steps: Step[], most: number, make: (step: Step) => Result): Result {
  const results = steps.map(make);
  const fits = results.find((one) => JSON.stringify(one).length <= most);
  return fits ?? (results.at(-1) as Result);
}

function shortened({ content, variants, ...product }: AgentProduct, { description, skus, lists }: Lengths): Fields {
  const { options, attributes, tags, ...texts } = content;
  return present({
    ...product,
    variants: rowsOf(variants, skus),
    content: present({
      ...texts,
      description: sanitizeMerchantText(content.description, description),
      options: options.map(({ name }) => name),
      tags: tags.slice(0, lists),
      attributes: attributes.slice(0, lists).map(({ name, value }) => `${name}:${value}`),
    }),
  });
}

type Variant = AgentProduct['variants'][number];

/** The variants as rows. A column whose cells are all null, or all as in the product, is left out. */
function rowsOf(variants: Variant[], skus: boolean): Fields {
  const differ = (cellOf: (variant: Variant) => unknown) => new Set(variants.map(cellOf)).size > 1;
  const columns: [string, (variant: Variant) => unknown][] = [
    ['id', ({ id }) => id],
    ...column('price', ({ price }) => price, differ),
    ...column('compare_at_price', ({ compare_at_price }) => compare_at_price, differ),
    ...column('availability', ({ availability }) => availability, differ),
    ...column('name', ({ content }) => content.name, has(variants)),
    ...(skus ? column('sku', ({ content }) => content.sku, has(variants)) : []),
  ];
  return {
    content_trust: CONTENT_TRUST,
    columns: columns.map(([name]) => name),
    rows: variants.map((variant) => columns.map(([, cellOf]) => cellOf(variant))),
  };
}

type Cell = (variant: Variant) => unknown;

function column(name: string, cellOf: Cell, isShown: (cellOf: Cell) => boolean): [string, Cell][] {
  return isShown(cellOf) ? [[name, cellOf]] : [];
}

function has(variants: Variant[]): (cellOf: Cell) => boolean {
  return (cellOf) => variants.some((variant) => cellOf(variant) !== null);
}

/** Five results, with the currency and the reading of the query, have at most 800 tokens of three characters. */
const MOST_PER_CANDIDATE = 430;

/** The fields of `content` and of a candidate that are left out, those of the least use first. */
const LEFT_OUT: string[][] = [
  [],
  ['options'],
  ['options', 'vendor', 'product_type'],
  ['options', 'vendor', 'product_type', 'summary', 'match_reasons'],
];

export function compactCandidates(candidates: AgentCandidate[]): Fields[] {
  return fitting(LEFT_OUT, MOST_PER_CANDIDATE * candidates.length, (left) =>
    candidates.map(({ content, ...candidate }) =>
      present({ ...without(candidate, left), content: present(without(content, left)) }),
    ),
  );
}

function without(fields: Fields, left: string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name)));
}

/** Removes null fields and empty lists. */
function present(fields: Fields): Fields {
  const isPresent = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isPresent(value)));
}
