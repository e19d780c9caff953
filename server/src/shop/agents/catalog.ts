/** Products for agents: with fewer fields, and only from the agent's categories. */

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

type Links = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** Returns one page of the products that match all filters. */
export async function list(shop: Shop, links: Links, sent: CatalogQuery): Promise<AgentProductPage> {
  // Models send empty lists over MCP.
  const query = withoutEmptyLists(sent);
  const categories = shop.agent?.categories ?? [];
  const within = categories.length > 0 ? [inCategories(categories)] : [];
  const read = await readListFilters(shop, query, readingOf(shop, 'query'));
  const filters = {
    ...read,
    list: [...within.map((slow): Filter => ({ slow })), ...narrowing(read.list)],
    // The best results are read by id, without the conditions of the list. So the search itself needs the condition on
    // the categories.
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

/** Returns a product with its variants. Throws `not_found` or `category_not_allowed`. */
export async function get(shop: Shop, links: Links, product_id: string): Promise<AgentProduct> {
  const product = (await catalog.get(shop, product_id)).body();
  await requireCategories(shop, shop.agent?.categories ?? [], [product.id]);
  return productOf(product, await readUrls(shop, links));
}

export function facets(shop: Shop): Promise<AgentFacets> {
  return agentFacets.ofShop(shop);
}

/** Finds products by a sentence, filters or both. */
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
