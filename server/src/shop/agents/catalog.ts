import type { AgentFacets, AgentProduct, AgentProductPage, FindOutcome, IntentFind } from '@commerce-backend/spec';
import { inCategories, requireCategories } from '../agent-limits/categories.ts';
import * as catalog from '../catalog/catalog.ts';
import { type CatalogQuery, type Filter, readListFilters, withoutEmptyLists } from '../catalog/filters.ts';
import { withinLimits } from '../catalog/variant-limits.ts';
import { ValidationError } from '../errors.ts';
import type { LinkDeps } from '../links.ts';
import type { Shop } from '../shop.ts';
import * as agentFacets from './facets.ts';
import { hasFilters, narrowing, readIntentFilters, readingOf, withFilters } from './filters.ts';
import { compactUnderstood, findProposals, needsOf, propose } from './find.ts';
import { readUrls } from './product-links.ts';
import { candidatesOf, productOf } from './products.ts';

/** The catalogue for agents: short results within the categories of the calling agent. */

type Links = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** One page of the products that meet all filters. */
export async function list(shop: Shop, links: Links, sent: CatalogQuery): Promise<AgentProductPage> {
  // Over MCP, lists can be empty.
  const query = withoutEmptyLists(sent);
  const categories = shop.agent?.categories ?? [];
  const within = categories.length > 0 ? [inCategories(categories)] : [];
  const read = await readListFilters(shop, query, readingOf(shop, 'query'));
  const filters = {
    ...read,
    list: [...within.map((slow): Filter => ({ slow })), ...narrowing(read.list)],
    // The best results of a search are read by id, without the list's conditions, so the search needs the categories
    // too.
    search: { ...read.search, slow: [...within, ...read.search.slow] },
  };
  const found = (await catalog.listMeeting(shop, query, filters, agentFacets.OF_AGENTS)).body();
  const urlOf = await readUrls(shop, links);
  const proposals = found.products.flatMap(
    (product) => propose(product, withinLimits(product, filters.limits), query) ?? [],
  );
  const understood = withFilters(shop, compactUnderstood(found.understood ?? []), query, filters);
  const { total, page, limit, pages, facets } = found;
  return {
    products: candidatesOf(proposals, urlOf),
    currency: shop.currency,
    ...{ total, page, limit, pages },
    ...(understood.length > 0 && { understood }),
    ...(facets && { facets: agentFacets.briefFacets(facets) }),
  };
}

/** A product with its variants. Throws `not_found` or `category_not_allowed`. */
export async function get(shop: Shop, links: Links, product_id: string): Promise<AgentProduct> {
  const product = (await catalog.get(shop, product_id)).body();
  await requireCategories(shop, shop.agent?.categories ?? [], [product.id]);
  return productOf(product, await readUrls(shop, links));
}

/** The shop's available filters. */
export function facets(shop: Shop): Promise<AgentFacets> {
  return agentFacets.ofShop(shop);
}

/** Finds the products that a sentence and filters describe. */
export async function findCandidates(shop: Shop, links: Links, body: IntentFind): Promise<FindOutcome> {
  const { query = '', limit = 5 } = body;
  if (!query && !hasFilters(body)) {
    throw new ValidationError([{ loc: ['body', 'query'], msg: 'Send a query or a filter.', type: 'missing' }]);
  }
  const filters = await readIntentFilters(shop, body);
  const finding = await findProposals(shop, query, limit, { filters });
  const urlOf = await readUrls(shop, links);
  const candidates = candidatesOf(finding.proposals, urlOf);
  return {
    status: candidates.length > 0 ? 'found' : 'not_found',
    currency: shop.currency,
    understood: withFilters(shop, compactUnderstood(finding.understood), body, filters),
    excluded: finding.excluded,
    candidates,
    needs: needsOf(finding),
    ...(body.facets && { facets: await agentFacets.ofProducts(shop, finding.matches) }),
  };
}
