/** Buyers who review a checkout before they order, and review it again if it has changed. */

import { PaperBrowser } from '../../server/test/paper-browser.ts';
import type { Checkout } from '../testing/products-and-checkouts.ts';
import type { Answer, OpenShop } from '../testing/test-server.ts';
import { differencesOf, orderedAs, reviewOf, reviewOn, type Shown } from './review.ts';

interface Scene {
  shop: OpenShop;
  checkout_id: string;
}

export interface Purchase {
  /** Places the order as it was last shown. Returns whether it succeeded. */
  order(): Promise<boolean>;
  /** Whether the last attempt showed the buyer a changed checkout, which the buyer can accept. */
  isAsked(): boolean;
  /** Returns the differences between the order and the last page that the buyer saw. */
  differences(): Promise<string[]>;
}

/**
 * A storefront that first sends no total, and then sends the total from the error. Only totals and prices are compared.
 */
export function overApi({ shop, checkout_id }: Scene, { total, items }: Checkout): Purchase {
  const seen = { total, prices: Object.fromEntries(items.map(({ id, price }) => [id, price])) };
  let priceChange: Answer<'storefront.completeCheckout'>['refusal'];
  return {
    async order() {
      const body = priceChange ? { expected_total: String(priceChange.total) } : {};
      const { data, refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
      priceChange = refusal?.error === 'price_changed' ? refusal : undefined;
      for (const { line_item_id, price } of (priceChange?.lines ?? []) as {
        line_item_id: string;
        price: string | null;
      }[]) {
        if (price === null) delete seen.prices[line_item_id];
        else seen.prices[line_item_id] = price;
      }
      if (priceChange) seen.total = String(priceChange.total);
      return data !== undefined;
    },
    isAsked: () => priceChange !== undefined,
    async differences() {
      const { rows } = await shop.premises.owner.query<{ total: string; prices: Record<string, string> }>(
        `select o.total, (select json_object_agg(l.id, l.price::text) from commerce.order_lines l
           where l.site_id = o.site_id and l.order_id = o.id) as prices
         from commerce.orders o where o.site_id = $1 and o.checkout_id = $2`,
        [shop.site_id, checkout_id],
      );
      const sorted = (one: typeof seen | undefined) =>
        JSON.stringify(one && [one.total, Object.entries(one.prices).sort()]);
      return sorted(seen) === sorted(rows[0]) ? [] : [`saw ${sorted(seen)}, was charged ${sorted(rows[0])}`];
    },
  };
}

/** A storefront that sends the review_token of the shown checkout, and shows the checkout again if it has changed. */
export function byReview(scene: Scene, checkout: Checkout): Purchase {
  const { shop, checkout_id } = scene;
  let [shown, isAsked] = [checkout, false];
  return {
    async order() {
      const path = { checkout_id };
      const body = { expected: shown.review_token ?? '' };
      const { data, refusal } = await shop.ask('storefront.completeCheckout', { path, body });
      const now = refusal?.error === 'review_changed' ? await shop.ask('storefront.getCheckout', { path }) : undefined;
      isAsked = Boolean(now?.data?.review_token);
      if (now?.data) shown = now.data;
      return data !== undefined;
    },
    isAsked: () => isAsked,
    differences: () => differencesFrom(reviewOf(shown), scene),
  };
}

/** A browser that presses the button on the hosted page. */
export async function onPage(scene: Scene, { checkout_url }: Checkout): Promise<Purchase | undefined> {
  const browser = new PaperBrowser(scene.shop.premises.baseUrl);
  let page = await browser.open(checkout_url ?? '');
  const first = reviewOn(page.html);
  if (!first) return undefined;
  let seen = first;
  return {
    async order() {
      page = await browser.press(page, 'place_order');
      seen = reviewOn(page.html) ?? seen;
      return page.html.includes('Order number');
    },
    isAsked: () => reviewOn(page.html) !== undefined,
    differences: () => differencesFrom(seen, scene),
  };
}

async function differencesFrom(seen: Shown, { shop, checkout_id }: Scene): Promise<string[]> {
  const ordered = await orderedAs(shop, checkout_id);
  return ordered ? differencesOf(seen, ordered) : ['there is no order'];
}
