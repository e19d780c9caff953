import type { AgentProduct, AgentProductPage, FindOutcome, IntentFind } from '@commerce-backend/spec';
import { inCategories, requireCategories } from '../agent-limits/categories.ts';
import * as catalog from '../catalog/catalog.ts';
import type { CatalogQuery } from '../catalog/filters.ts';
import type { Shop } from '../shop.ts';
import { compactUnderstood, findProposals, needsOf, propose } from './find.ts';
import { candidateOf, productOf } from './products.ts';

/** The catalogue for agents: short results within the categories of the calling agent. */

/** One page of the products that meet all filters. */
export async function list(shop: Shop, query: CatalogQuery): Promise<AgentProductPage> {
  const categories = shop.agent?.categories ?? [];
  const within = categories.length > 0 ? [inCategories(categories)] : [];
  const { products, total, page, limit, pages } = (await catalog.list(shop, query, within)).body();
  const candidates = products.map((product) => candidateOf(propose(product, query)));
  return { products: candidates, currency: shop.currency, total, page, limit, pages };
}

/** A product with its variants. Throws `not_found` and `category_not_allowed`. */
export async function get(shop: Shop, product_id: string): Promise<AgentProduct> {
  const product = (await catalog.get(shop, product_id)).body();
  await requireCategories(shop, shop.agent?.categories ?? [], [product.id]);
  return productOf(product);
}

/** The products that match a sentence. */
export async function findCandidates(shop: Shop, { query, limit = 5 }: IntentFind): Promise<FindOutcome> {
  const finding = await findProposals(shop, query, limit);
  const candidates = finding.proposals.map(candidateOf);
  const status = candidates.length > 0 ? 'found' : 'not_found';
  const understood = compactUnderstood(finding.understood);
  return {
    status,
    currency: shop.currency,
    understood,
    excluded: finding.excluded,
    candidates,
    needs: needsOf(finding),
  };
}
