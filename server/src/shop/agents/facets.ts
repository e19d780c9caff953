import type { AgentFacets, Facets } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { inCategories } from '../agent-limits/categories.ts';
import { type FacetCount, readFacets } from '../catalog/facets.ts';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import { matching } from '../products/list.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

export const OF_AGENTS: FacetCount = { most: 1_000, ofVariants: true };

/** The facets of the products that the agent may see. */
export async function ofShop(shop: Shop): Promise<AgentFacets> {
  return briefFacets(await facetsWhere(shop, [visible, inCategories(shop.agent?.categories ?? [])]));
}

export async function ofProducts(shop: Shop, product_ids: string[]): Promise<AgentFacets> {
  return briefFacets(await facetsWhere(shop, [sql`p.id = any((select ${product_ids}::uuid[])::uuid[])`]));
}

function facetsWhere(shop: Shop, conditions: Sql[]): Promise<Facets> {
  const always = [sql`p.site_id = ${shop.siteId}`, ...conditions];
  return readFacets(shop, { always, filters: [], matchesOf: (all) => matching(all) }, OF_AGENTS);
}

/** Maximum lengths of the lists in a response. */
interface Lengths {
  values: number;
  /** Tags have a lower limit, because most of them repeat types or attributes. */
  tags: number;
  names: number;
  ofName: number;
}
const LENGTHS: Lengths[] = [
  { values: 30, tags: 30, names: 12, ofName: 10 },
  { values: 25, tags: 25, names: 10, ofName: 8 },
  { values: 20, tags: 20, names: 8, ofName: 8 },
  { values: 20, tags: 15, names: 8, ofName: 5 },
  { values: 20, tags: 10, names: 6, ofName: 5 },
  { values: 15, tags: 8, names: 6, ofName: 4 },
  { values: 10, tags: 6, names: 5, ofName: 4 },
  { values: 6, tags: 6, names: 5, ofName: 3 },
  { values: 3, tags: 3, names: 3, ofName: 2 },
];
/**
 * Maximum length of the JSON, about 1,500 tokens. A token has only about three characters here, because the JSON
 * contains many numbers and brackets.
 */
const MOST_CHARACTERS = 4_300;

/**
 * Maps facets to their shortened form. Cached facets are the same object in each response, so they are shortened only
 * once.
 */
const cutBefore = new WeakMap<Facets, AgentFacets>();

/** Returns the facets with lists that are short enough for a language model. */
export function briefFacets(facets: Facets): AgentFacets {
  const before = cutBefore.get(facets);
  if (before) return before;
  const fitting = LENGTHS.map((lengths) => cut(facets, lengths));
  const brief = (fitting.find((one) => JSON.stringify(one).length <= MOST_CHARACTERS) ?? fitting.at(-1)) as AgentFacets;
  cutBefore.set(facets, brief);
  return brief;
}

type Counted = { value: string; count: number };
type Named = { name: string; values: Counted[] };

function cut({ in_stock, price, ...all }: Facets, { values, tags, names, ofName }: Lengths): AgentFacets {
  const first = (list: Counted[], most: number) =>
    list.flatMap(({ value, count }) => (isShown(value) ? [{ value, count }] : [])).slice(0, most);
  const named = (list: Named[]) =>
    byUse(list)
      .filter(({ name }) => isShown(name))
      .slice(0, names)
      .map((one) => ({
        name: one.name,
        values: first(one.values, ofName),
        more: one.values.length - first(one.values, ofName).length,
      }));
  const content = {
    product_type: first(all.product_types, values),
    collection: first(all.collections, values),
    vendor: first(all.vendors, values),
    tag: first(all.tags, tags),
    option: named(all.options),
    attribute: named(all.attributes),
  };
  return {
    products: in_stock.true + in_stock.false,
    price,
    content: {
      content_trust: CONTENT_TRUST,
      ...content,
      more: {
        product_type: all.product_types.length - content.product_type.length,
        collection: all.collections.length - content.collection.length,
        vendor: all.vendors.length - content.vendor.length,
        tag: all.tags.length - content.tag.length,
        option: all.options.length - content.option.length,
        attribute: all.attributes.length - content.attribute.length,
      },
    },
  };
}

/** Whether sanitizing leaves the value unchanged. Agents could not send a changed value back. */
function isShown(value: string): boolean {
  return sanitizeMerchantText(value, CAPS.name) === value;
}

/** Sorts options or attributes by the sum of the product counts of their values, highest first. */
function byUse(list: Named[]): Named[] {
  const uses = ({ values }: Named) => values.reduce((sum, { count }) => sum + count, 0);
  return list.toSorted((a, b) => uses(b) - uses(a));
}
