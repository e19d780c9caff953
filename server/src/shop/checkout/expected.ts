import sql from 'sql-template-tag';
import { labelOf } from '../carts/view.ts';
import { ShopError } from '../errors.ts';
import { canonicalAmount, decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { requireBuyer } from './binding.ts';
import { requireReviewed } from './review-token.ts';
import type { Priced } from './state.ts';
import { pricesOf } from './view.ts';

/** The reviewed state that a completion expects. */
export interface Seen {
  /** The `review_token` of the reviewed checkout. Without it, `expected_total` is compared. */
  expected?: string | undefined;
  expected_total: string | undefined;
}

/**
 * Checks that the order equals the reviewed checkout. `expected` (the review token) must match in every part; otherwise
 * throws `review_changed`. Without `expected`, the total and the price of each line must equal the displayed ones or,
 * with `expected_total`, the ones that an earlier `price_changed` reported. Otherwise throws `price_changed`, which
 * stores the reported prices. Throws `buyer_data_locked` for callers who may not read the buyer data of a bound
 * checkout, because they have not seen everything.
 */
export function requireSeen(shop: Shop, deps: { secretKey: string }, priced: Priced, seen: Seen): void {
  const { expected: review, expected_total } = seen;
  const { row, totals } = priced;
  requireBuyer(shop, row);
  if (review !== undefined) {
    requireReviewed(shop, deps, priced, review);
    return;
  }
  const digits = shop.currencyDigits;
  const expected =
    expected_total === undefined
      ? row.shown_total
      : canonicalAmount(expected_total, digits, ['body', 'expected_total']);
  const total = decimal(totals.total, digits);
  const now = pricesOf(priced, digits);
  const told = expected_total !== undefined && row.told_prices !== null && isSame(now, row.told_prices);
  if (total === expected && (told || isSame(now, row.shown_prices))) return;

  const message = messageOf(shop, priced, total, expected);
  const context = { expected_total: expected, total, lines: changesOf(priced, now) };
  throw new ShopError('price_changed', message, context, async (again) => {
    await again.run(
      sql`update checkouts set told_prices = ${JSON.stringify(now)}::jsonb
        where site_id = ${again.siteId} and id = ${row.id} and status <> 'completed'`,
    );
  });
}

/** For people, names a product that is no longer for sale, because this explains a different total. */
function messageOf({ agent }: Shop, { cart }: Priced, total: string, expected: string): string {
  const change = total === expected ? 'A line has changed.' : `The total is ${total}, no longer ${expected}.`;
  const gone = cart.lines.find(({ sellable }) => !sellable);
  return gone && !agent ? `${labelOf(gone)} is no longer for sale. ${change}` : change;
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const ids = Object.keys(one);
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id]);
}

/**
 * Lines whose price differs from the shown price, with both prices. A line that is new or no longer for sale has only
 * one price.
 */
function changesOf({ row: { shown_prices } }: Priced, now: Record<string, string>) {
  const ids = [...new Set([...Object.keys(shown_prices), ...Object.keys(now)])];
  return ids
    .filter((id) => shown_prices[id] !== now[id])
    .map((id) => ({ line_item_id: id, previous_price: shown_prices[id] ?? null, price: now[id] ?? null }));
}
