/** The lines of an integration's order: their variants, and the amounts that the integration expects. */

import type { SyncLineItem, ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Priced } from '../checkout/state.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { canonicalAmount, decimal } from '../money.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

export type FoundLine = SyncLineItem & { found_variant_id: string };

interface Match {
  place: number;
  variant_ids: string[];
}

/**
 * Finds the public variant of each line by the first of variant_id, sku, product_id and name that the line contains.
 * The variant must also match the SKU, product id and option values of the line. Throws `not_found` for a line without
 * a match, and a ValidationError for a line with several.
 */
export async function findVariants(shop: Shop, lines: SyncLineItem[]): Promise<FoundLine[]> {
  const matches = await shop.rows<Match>(
    sql`with wanted as materialized (
        select place::int as place, nullif(line ->> 'variant_id', '')::uuid as variant_id, nullif(line ->> 'sku', '') as sku,
          nullif(line ->> 'product_id', '')::uuid as product_id, line ->> 'name' as name,
          nullif(line ->> 'option1', '') as option1, nullif(line ->> 'option2', '') as option2,
          nullif(line ->> 'option3', '') as option3
        from jsonb_array_elements(${JSON.stringify(lines)}::jsonb) with ordinality as l (line, place)
      )
      select w.place, array(
        select v.id from (
          select v.* from variants v where v.site_id = ${shop.siteId} and v.id = w.variant_id
          union all select v.* from variants v
          where w.variant_id is null and v.site_id = ${shop.siteId} and v.sku = w.sku
          union all select v.* from variants v
          where num_nonnulls(w.variant_id, w.sku) = 0 and v.site_id = ${shop.siteId} and v.product_id = w.product_id
          union all select v.* from products named
          join variants v on v.site_id = named.site_id and v.product_id = named.id
          where num_nonnulls(w.variant_id, w.sku, w.product_id) = 0 and named.site_id = ${shop.siteId}
            and named.status = 'active' and named.name = w.name
        ) v join products p on p.site_id = v.site_id and p.id = v.product_id
        where ${visible} and (w.sku is null or v.sku = w.sku) and (w.product_id is null or v.product_id = w.product_id)
          and (w.option1 is null or v.option1 = w.option1) and (w.option2 is null or v.option2 = w.option2)
          and (w.option3 is null or v.option3 = w.option3)
        limit 2
      ) as variant_ids
      from wanted w order by w.place`,
  );
  const byPlace = new Map(matches.map(({ place, variant_ids }) => [place, variant_ids]));
  const ambiguous: ValidationErrorItem[] = [];
  const found = lines.map((line, index) => {
    const [variant_id, another] = byPlace.get(index + 1) ?? [];
    if (!variant_id) throw unknownLine(index);
    if (another) {
      const msg = 'Several variants match this line. Send its variant_id or its sku.';
      ambiguous.push(bodyMistake(['line_items', index], 'variant_ambiguous', msg));
    }
    return { ...line, found_variant_id: variant_id };
  });
  if (ambiguous.length > 0) throw new ValidationError(ambiguous.slice(0, 50));
  return found;
}

function unknownLine(index: number): ShopError {
  const loc = ['body', 'line_items', index];
  return new ShopError('not_found', `No variant for sale matches line_items.${index}.`, { loc });
}

/** The amounts that the integration expects for an order, as it sent them. */
export interface Claims {
  line_items: FoundLine[];
  subtotal?: string | null;
  total?: string | null;
}

/**
 * Compares the expected amounts with the catalogue. Throws a ValidationError with the differences, at most 50, each
 * with the right amount in `ctx.expected`.
 */
export function refuseOtherPrices(shop: Shop, { totals, lines }: Priced, claims: Claims): void {
  const digits = shop.currencyDigits;
  const prices = new Map(lines.map(({ variant_id, price }) => [variant_id, price]));
  const mistakes: ValidationErrorItem[] = [];
  const hold = (path: (string | number)[], claimed: string, right: number) => {
    const expected = decimal(right, digits);
    if (canonicalAmount(claimed, digits, ['body', ...path]) === expected) return;
    const msg = `The catalogue price is ${expected}, not ${claimed}.`;
    mistakes.push(bodyMistake(path, 'price_mismatch', msg, { expected }));
  };
  for (const [index, line] of claims.line_items.entries()) {
    const price = prices.get(line.found_variant_id);
    if (price === undefined) throw unknownLine(index);
    hold(['line_items', index, 'price'], line.price, price);
    hold(['line_items', index, 'total'], line.total, price * line.quantity);
  }
  if (claims.subtotal) hold(['subtotal'], claims.subtotal, totals.subtotal);
  if (claims.total) hold(['total'], claims.total, totals.total);
  if (mistakes.length > 0) throw new ValidationError(mistakes.slice(0, 50));
}
