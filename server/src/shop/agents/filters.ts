import type { AgentUnderstood, IntentFind } from '@commerce-backend/spec';
import { inCategories } from '../agent-limits/categories.ts';
import {
  type Filter,
  type FilterQuery,
  type Filters,
  type Reading,
  readFilters,
  withoutEmptyLists,
} from '../catalog/filters.ts';
import type { Shop } from '../shop.ts';

/** The filter fields of an agent's request. */
export type IntentFilters = FilterQuery & Pick<IntentFind, 'sort'>;

const NAMES = [
  'vendor',
  'product_type',
  'tag',
  'collection',
  'price_min',
  'price_max',
  'in_stock',
  'option',
  'attribute',
  'exclude_tag',
  'exclude_type',
  'exclude_attribute',
  'exclude_text',
  'on_sale',
  'cheaper_than',
] as const satisfies (keyof FilterQuery)[];

/** Whether a request has filters. A sort order is not a filter, because it does not describe a product. */
export function hasFilters(sent: FilterQuery): boolean {
  const query = withoutEmptyLists(sent);
  return NAMES.some((name) => query[name] !== undefined);
}

/** Parses the filters and the sort order of a body; undefined if it has neither. Throws a ValidationError. */
export async function readIntentFilters(shop: Shop, body: IntentFilters): Promise<Filters | undefined> {
  if (!hasFilters(body) && body.sort === undefined) return undefined;
  const filters = await readFilters(shop, body, readingOf(shop, 'body'));
  return { ...filters, search: { ...filters.search, sort: body.sort } };
}

/** Price limits of agents apply to variants, and `cheaper_than` may only name a product in the agent's categories. */
export function readingOf(shop: Shop, place: Reading['place']): Reading {
  return { place, ofVariants: true, within: inCategories(shop.agent?.categories ?? []) };
}

/** Removes the facet from each filter. Agents get facets of the result, without alternatives to a chosen value. */
export function narrowing(filters: Filter[]): Filter[] {
  return filters.map(({ kind: _kind, name: _name, ...filter }) => filter);
}

/** Adds the filters to the list of understood constraints. */
export function withFilters(
  shop: Shop,
  understood: AgentUnderstood[],
  query: FilterQuery,
  filters: Filters | undefined,
): AgentUnderstood[] {
  return filters ? [...understood, ...understoodFilters(shop, query, filters)].slice(0, MAX_UNDERSTOOD) : understood;
}

/** Maximum number of `understood` entries that the contract allows. */
const MAX_UNDERSTOOD = 50;

function understoodFilters(shop: Shop, query: FilterQuery, { limits }: Filters): AgentUnderstood[] {
  return NAMES.flatMap((name) => {
    const given = query[name];
    if (given === undefined) return [];
    return [given].flat().map((one) => ({
      ...{ kind: kindOf(name), text: `${name}=${one}` },
      ...amountsOf(shop, name, String(one), limits.price.max),
      fate: 'applied' as const,
    }));
  });
}

function kindOf(name: (typeof NAMES)[number]): AgentUnderstood['kind'] {
  if (name === 'price_min' || name === 'price_max' || name === 'cheaper_than') return 'price';
  if (name === 'in_stock') return name;
  return name.startsWith('exclude_') ? 'without' : 'value';
}

function amountsOf({ currency }: Shop, name: (typeof NAMES)[number], text: string, max = 0) {
  switch (name) {
    case 'price_min':
      return { min: Number(text), currency };
    case 'price_max':
      return { max: Number(text), currency };
    case 'cheaper_than':
      return { max: Math.max(max, 0), currency };
    case 'in_stock':
      return { value: text };
    case 'on_sale':
      return { value: name };
    default:
      return { value: text.slice(text.indexOf(':') + 1) };
  }
}
