/**
 * The categories that a customer allows an agent: product types and handles of collections (case-insensitive). They are
 * checked when an agent finds, adds or buys a product, and again when the order is created.
 */

import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { meetsRules } from '../catalog/collection-rules.ts';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

/** Whether `products p` is in one of the categories. An empty list allows all products. */
export function inCategories(categories: string[]): Sql {
  if (categories.length === 0) return sql`true`;
  const lowered = categories.map((name) => name.toLowerCase());
  return sql`(lower(p.product_type) = any(${lowered}::text[]) or exists (
    select from collections c
    where c.site_id = p.site_id and lower(c.handle) = any(${lowered}::text[]) and c.published and c.published_at <= now()
      and case c.type when 'manual' then exists (
          select from collection_products cp
          where cp.site_id = p.site_id and cp.collection_id = c.id and cp.product_id = p.id)
        else ${meetsRules(sql`c.rules`, sql`c.rules_match`)} end))`;
}

/** Throws `category_not_allowed` if a product is in none of the categories. A deleted product is in none. */
export async function requireCategories(shop: Shop, categories: string[], product_ids: string[]): Promise<void> {
  if (categories.length === 0) return;
  const outside = await shop.one(
    sql`select from unnest(${product_ids}::uuid[]) as wanted (id) where not exists (
      select from products p where p.site_id = ${shop.siteId} and p.id = wanted.id and ${inCategories(categories)}) limit 1`,
  );
  if (!outside) return;
  // Customers type category names freely, so the error contains the names as data and not in its message.
  throw new ShopError('category_not_allowed', 'The agent may only use products in its categories.', { categories });
}

/** Returns the categories of an agent's token, as the customer typed them. */
export async function categoriesOf(shop: Shop, token_id: string): Promise<string[]> {
  const found = await shop.one<RowOf<'tokens', 'categories'>>(
    sql`select categories from tokens where site_id = ${shop.siteId} and id = ${token_id} and kind = 'agent'`,
  );
  return found?.categories ?? [];
}
