import sql from 'sql-template-tag';
import { labelOf } from '../carts/view.ts';
import { ShopError } from '../errors.ts';
import { canonicalAmount, decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { requireBuyer } from './binding.ts';
import { requireReviewed } from './review-token.ts';
import type { Priced } from './state.ts';
import { pricesOf } from './view.ts';

/** What a completion says of what the human saw. */
export interface Seen {
  /** The `review_token` of the checkout as it was displayed; `expected_total` counts without it. */
  expected?: string | undefined;
  expected_total: string | undefined;
}

/**
 * The order is what the human saw. Once the buyer has posted the page, only they saw all of it: for others it throws
 * `buyer_data_locked`. With `expected`, all of the review must be as displayed: throws `review_changed`. Without it, the total must
 * be the one that the human expects, or else the one last shown; and no line may cost anything other than what was shown, or what
 * an earlier refusal reported, if the request answers it with `expected_total`: throws `price_changed`, and remembers what it
 * reported.
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

/** Names what was withdrawn: that suffices to explain another total. */
function messageOf({ agent }: Shop, { cart }: Priced, total: string, expected: string): string {
  const change = total === expected ? 'A line has changed.' : `The total is ${total}, no longer ${expected}.`;
  const gone = cart.lines.find(({ sellable }) => !sellable);
  return gone && !agent ? `${labelOf(gone)} is no longer for sale. ${change}` : change;
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const ids = Object.keys(one);
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id]);
}

/** The lines that differ from what was shown; one that is new, or no longer for sale, has no price on that side. */
function changesOf({ row: { shown_prices } }: Priced, now: Record<string, string>) {
  const ids = [...new Set([...Object.keys(shown_prices), ...Object.keys(now)])];
  return ids
    .filter((id) => shown_prices[id] !== now[id])
    .map((id) => ({ line_item_id: id, previous_price: shown_prices[id] ?? null, price: now[id] ?? null }));
}
