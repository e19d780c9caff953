import type { ProductBulkResult } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { indexProducts } from '../../search/index/index-products.ts';
import { holdCurrency } from '../currency.ts';
import { ShopError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import { summarize } from '../products/write.ts';
import type { Shop } from '../shop.ts';

type Result = ProductBulkResult['results'][number];

/** The result of one product without its id and name. */
export type Outcome = Partial<Pick<Result, 'price_before' | 'price_after'>> &
  ({ status: 'changed' | 'unchanged' } | { status: 'failed'; reason: NonNullable<Result['reason']>; message: string });

type Change = { percent: string } | { amount: string };

/** The highest price that the API accepts. */
const HIGHEST = '999999999999.999';

/** A limit on the work of one request. Only products with very many variants reach it. */
const MOST_VARIANTS = 20_000;

interface PricedVariant {
  id: string;
  product_id: string;
  price: string;
  wanted: string;
  is_possible: boolean;
  differs: boolean;
}

/**
 * Changes the price of every variant of the locked products by a percentage or an amount. A product with a variant
 * whose price would be negative or too high keeps all its prices. PostgreSQL rounds to the decimals of the currency,
 * halves away from zero.
 */
export async function changePrices(
  shop: Shop,
  products: { id: string }[],
  change: Change,
  dry_run: boolean,
): Promise<Map<string, Outcome>> {
  await holdCurrency(shop);
  const variants = await lockPrices(
    shop,
    products.map(({ id }) => id),
    change,
  );
  const found = new Map(products.map(({ id }) => [id, outcomeOf(variants.get(id) ?? [])]));
  const changed = [...found].flatMap(([id, { status }]) => (status === 'changed' ? [id] : []));
  if (!dry_run && changed.length > 0) {
    const written = changed.flatMap((id) => variants.get(id) ?? []).filter(({ differs }) => differs);
    await shop.run(
      sql`update variants v set price = w.price, updated_at = now(),
          compare_at_price = case when v.compare_at_price > w.price then v.compare_at_price end
        from unnest(${written.map(({ id }) => id)}::uuid[], ${written.map(({ wanted }) => wanted)}::numeric[])
          as w (id, price)
        where v.site_id = ${shop.siteId} and v.id = w.id`,
    );
    await summarize(shop, ...changed);
    await indexProducts(shop, changed);
  }
  return found;
}

async function lockPrices(shop: Shop, product_ids: string[], change: Change): Promise<Map<string, PricedVariant[]>> {
  const digits = shop.currencyDigits;
  const wanted =
    'percent' in change
      ? sql`round(v.price * (100 + ${change.percent}::numeric) / 100, ${digits}::int)`
      : sql`v.price + ${signedAmount(change.amount, digits)}::numeric`;
  const rows = await shop.rows<PricedVariant>(
    sql`select id, product_id, price, wanted, wanted between 0 and ${HIGHEST}::numeric as is_possible,
        wanted <> price as differs
      from (
        select v.id, v.product_id, v.price, ${wanted} as wanted from variants v
        where v.site_id = ${shop.siteId} and v.product_id = any(${product_ids}::uuid[]) order by v.id for update
      ) as priced
      order by price, id limit ${MOST_VARIANTS + 1}`,
  );
  if (rows.length > MOST_VARIANTS) {
    const message = `These products have more than ${MOST_VARIANTS} variants. Change fewer products at once.`;
    throw new ShopError('limit_reached', message, { limit: MOST_VARIANTS });
  }
  return Map.groupBy(rows, ({ product_id }) => product_id);
}

function signedAmount(amount: string, digits: number): string {
  const isNegative = amount.startsWith('-');
  const canonical = canonicalAmount(isNegative ? amount.slice(1) : amount, digits, ['body', 'change', 'price_amount']);
  return isNegative ? `-${canonical}` : canonical;
}

/** The variants are sorted by price, so that the first one has the lowest price before and after the change. */
function outcomeOf(variants: PricedVariant[]): Outcome {
  const [cheapest] = variants;
  if (!cheapest) return { status: 'unchanged' };
  const prices = { price_before: cheapest.price };
  if (variants.some(({ is_possible }) => !is_possible)) {
    const message = 'A price would be negative or above the highest possible price.';
    return { ...prices, status: 'failed', reason: 'price_out_of_range', message };
  }
  const differs = variants.some((variant) => variant.differs);
  return { ...prices, price_after: cheapest.wanted, status: differs ? 'changed' : 'unchanged' };
}
