import { MAX_LINES } from '../../shop/carts/carts.ts';
import { openReorder, type ReorderLine, reorder, reorderLines } from '../../shop/checkout/reorder.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { checkoutUrl } from '../../shop/links.ts';
import { getShown, type ShownOrder } from '../../shop/orders/shown.ts';
import type { Shop } from '../../shop/shop.ts';
import { page } from '../parts/document.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { orderView } from '../parts/order-view.ts';
import { orderPath, withQuery } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { rich } from '../parts/words.ts';
import type { AccountVisit } from './visit.ts';

/**
 * Shows one order in the account, which can be ordered again. Items no longer for sale are shown before a checkout begins:
 * `&again=1` shows what would be in it.
 */
export async function showOrder(
  visit: AccountVisit,
  csrf: string,
  order_id: string,
  customer_id: string,
): Promise<PageAnswer> {
  const { req } = visit;
  await count(visit, 'storefront.getCustomerOrder');
  return inShopOfVisit(visit, async (shop) => {
    await promiseNoChange(shop);
    const order = await getShown(shop, order_id, customer_id);
    return req.query.again === undefined
      ? orderPage(visit, order, csrf)
      : againPage(visit, order, csrf, await reorderLines(shop, order_id));
  });
}

function orderPage(visit: AccountVisit, order: ShownOrder, csrf: string): PageAnswer {
  const { front, path, language, checkoutDeps } = visit;
  const title = language.say('account.order', { number: order.order_number });
  const main = html`
<p class="back"><a href="${path}">${language.say('account.back')}</a></p>
${orderView({ language, ownOrigin: checkoutDeps.baseUrl, order, actions: againForm(visit, csrf, order.id, 'account.again') })}`;
  return { status: 200, html: page({ language, title, front, where: 'account', main }) };
}

/** `certain` means that the reader has seen the missing items, and orders the rest. */
function againForm(
  { language, path }: AccountVisit,
  csrf: string,
  order_id: string,
  label: 'account.again' | 'account.again_rest',
): Html {
  const certain = label === 'account.again_rest' && html`<input type="hidden" name="certain" value="yes">`;
  return html`
<form class="order" method="post" action="${orderPath(path, order_id)}">
${csrfField(csrf)}
${certain}
<button class="primary" name="action" value="reorder">${language.say(label)}</button>
<p class="after-button">${language.say('account.again_after')}</p>
</form>`;
}

/** Shows the lines of an order that can be ordered again, and those that cannot. */
function againPage(visit: AccountVisit, order: ShownOrder, csrf: string, lines: ReorderLine[]): PageAnswer {
  const { front, path, language } = visit;
  const { say } = language;
  const offered = lines.filter(({ available }) => available > 0);
  const title = say(offered.length > 0 ? 'account.again_title' : 'account.again_nothing');
  const named = (line: ReorderLine) => html`<span dir="auto">${nameOf(line)}</span>`;
  const list = (heading: string, some: ReorderLine[], words: (line: ReorderLine) => Html) =>
    some.length > 0 &&
    html`<section class="part"><h2>${heading}</h2><ul class="bullets">${some.map((line) => html`<li>${words(line)}</li>`)}</ul></section>`;
  const missing = (line: ReorderLine) => {
    const { available, quantity, too_many } = line;
    if (too_many) return rich(language, 'account.again_too_many', { name: named(line), count: MAX_LINES });
    const fewer = available > 0;
    return rich(language, fewer ? 'account.again_fewer' : 'account.again_gone', {
      name: named(line),
      available,
      quantity,
    });
  };
  const main = html`
<section class="notice">
<h1>${title}</h1>
${list(
  say('account.again_missing'),
  lines.filter(({ available, quantity }) => available < quantity),
  missing,
)}
${list(say('account.again_offered'), offered, (line) => html`<span class="pieces">${line.available}</span> × ${named(line)}`)}
${offered.length > 0 && againForm(visit, csrf, order.id, 'account.again_rest')}
<p class="after-button"><a href="${orderPath(path, order.id)}">${say('account.again_back')}</a></p>
</section>`;
  return { status: 200, html: page({ language, title, front, where: 'account', main }) };
}

function nameOf({ name, variant_name }: ReorderLine): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}

/** Opens a checkout with the same items, a new one or one begun before. If items are missing, the page shows them first. */
export async function orderAgain(visit: AccountVisit, body: FormBody): Promise<PageAnswer> {
  const { order_id, path, checkoutDeps, language } = visit;
  if (!order_id) throw new ShopError('invalid_request', 'The form names no order.');
  const again = withQuery(orderPath(path, order_id), 'again', '1');
  await count(visit, 'storefront.createCheckout');
  const work = async (shop: Shop) => {
    const pathTo = (id: string) => new URL(checkoutUrl(shop, checkoutDeps, id)).pathname;
    const open = await openReorder(shop, order_id);
    if (open) return { redirect: pathTo(open) };
    const lines = await reorderLines(shop, order_id);
    const isWhole = lines.length > 0 && lines.every(({ available, quantity }) => available === quantity);
    const isNothing = lines.every(({ available }) => available === 0);
    if (isNothing || !(isWhole || body.has('certain'))) return { redirect: again };
    return { redirect: pathTo(await reorder(shop, checkoutDeps, { order_id, locale: language.locale })) };
  };
  const act = { operation_id: 'storefront.createCheckout', action: 'reorder', body } as const;
  return runAction(visit, act, work, async (_shop, error) => {
    // Someone else bought the last of an item, so the page shows the remaining ones.
    if (error instanceof ShopError && ['insufficient_stock', 'cart_empty'].includes(error.code))
      return { redirect: again };
    throw error;
  });
}
