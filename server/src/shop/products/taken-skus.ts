import type { ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import type { Place } from './mistakes.ts';

interface Taken {
  asked: string;
  sku: string;
  slug: string;
  product_id: string;
}

/** A product in a request, with its current or future slug. */
interface Named {
  slug: string;
  sku?: string | null;
  variants?: { sku?: string | null }[];
}

/** Reports each SKU in a request that a variant of another product has. Ignores case. */
export async function takenSkus(shop: Shop, input: Named, loc: Place): Promise<ValidationErrorItem[]> {
  const places = placesOf(input);
  const taken = await shop.rows<Taken>(
    sql`select w.asked, v.sku, p.slug, p.id as product_id
      from unnest(${[...places.keys()]}::text[]) as w (asked)
      join variants v on v.site_id = ${shop.siteId} and lower(v.sku) = lower(w.asked)
        and v.sku is not null and not v.sku_twin
      join products p on p.site_id = v.site_id and p.id = v.product_id
      where p.slug <> ${input.slug}`,
  );
  return taken.map(({ asked, sku, slug, product_id }) => {
    const spelt = sku === asked ? '' : `, written as ${JSON.stringify(sku)}`;
    const msg = `The product ${JSON.stringify(slug)} already has the SKU ${JSON.stringify(asked)}${spelt}.`;
    const at = [...loc, ...(places.get(asked) ?? [])];
    return { loc: at, msg, type: 'sku_taken', ctx: { sku: asked, slug, product_id } };
  });
}

/** Returns the path of each SKU in the request. */
function placesOf({ sku, variants = [] }: Named): Map<string, Place> {
  const found = new Map<string, Place>();
  if (sku) found.set(sku, ['sku']);
  variants.forEach((variant, i) => {
    if (variant.sku) found.set(variant.sku, ['variants', i, 'sku']);
  });
  return found;
}
