import type { Document } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { MAX_LINES } from '../../shop/carts/carts.ts';
import { openReorder, type ReorderLine, reorder, reorderLines } from '../../shop/checkout/reorder.ts';
import { ShopError } from '../../shop/errors.ts';
import { promiseNoChange } from '../../shop/in-shop.ts';
import { documentsOfOrder } from '../../shop/invoices/documents.ts';
import { checkoutUrl } from '../../shop/links.ts';
import { getShown, type ShownOrder } from '../../shop/orders/shown.ts';
import type { Shop } from '../../shop/shop.ts';
import { page } from '../parts/document.ts';
import { documentFile, documentsSection, downloadOf } from '../parts/documents-section.ts';
import { isPayable, leaveToPay, payButton } from '../parts/due-payment.ts';
import type { FormBody } from '../parts/form-body.ts';
import { csrfField } from '../parts/form-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { orderView } from '../parts/order-view.ts';
import { orderPath, preparedFields, withQuery } from '../parts/paths.ts';
import { type OrderReturns, type ReturnForm, returnsOf, returnsSection } from '../parts/returns-section.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { knownWithdrawPath } from '../parts/withdraw-pass.ts';
import { withdrawalSection } from '../parts/withdrawal-section.ts';
import { rich } from '../parts/words.ts';
import type { AccountVisit } from './visit.ts';

/**
 * Shows an order in the account, with a button to order it again, or returns a document of the order. If some of its
 * items are no longer for sale, `&again=1` shows which items the new order would contain, before a checkout is created.
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
    if (visit.document_id) return downloadOf(await documentFile(shop, order_id, visit.document_id));
    return req.query.again === undefined
      ? orderPage(visit, order, csrf, await partsOfOrder(shop, order_id, customer_id), {
          entered: preparedFields(visit.prepared) ?? {},
          mistakes: [],
        })
      : againPage(visit, order, csrf, await reorderLines(shop, order_id));
  });
}

interface OrderParts {
  returns: OrderReturns;
  documents: Document[];
}

export async function partsOfOrder(shop: Shop, order_id: string, customer_id: string): Promise<OrderParts> {
  return {
    returns: await returnsOf(shop, order_id, customer_id),
    documents: await documentsOfOrder(shop, order_id),
  };
}

export function orderPage(
  visit: AccountVisit,
  order: ShownOrder,
  csrf: string,
  { returns, documents }: OrderParts,
  sent: ReturnForm = { entered: {}, mistakes: [] },
): PageAnswer {
  const { front, path, language, checkoutDeps } = visit;
  const title = language.say('account.order', { number: order.order_number });
  const alert =
    visit.prepared !== undefined && returns.lines.length > 0 && sent.mistakes.length === 0 && preparedNote(language);
  const main = html`
<p class="back"><a href="${path}">${language.say('account.back')}</a></p>
${orderView({ language, ownOrigin: checkoutDeps.baseUrl, order, alert, payForm: payFormOf(visit, order, csrf), actions: againForm(visit, csrf, order.id, 'account.again') })}
${returnsSection(language, { path: orderPath(path, order.id), csrf, orderAt: (id) => orderPath(path, id) }, returns, sent)}
${documentsSection(language, documents, ({ id }, label) => html`<a href="${withQuery(orderPath(path, order.id), 'document', id)}">${label}</a>`)}
${front.withdrawal_page && withdrawalSection(language, knownWithdrawPath(front.site_id, order.id))}`;
  const mistaken = sent.mistakes.length > 0;
  return { status: mistaken ? 422 : 200, html: page({ language, title, mistaken, front, where: 'account', main }) };
}

/** The form that pays the amount due online. */
function payFormOf({ path, language, checkoutDeps }: AccountVisit, order: ShownOrder, csrf: string): Html | undefined {
  if (!isPayable(order, checkoutDeps)) return undefined;
  return html`
<form method="post" action="${orderPath(path, order.id)}">
${csrfField(csrf)}
${payButton(language, order)}
</form>`;
}

/** Leads the customer to the payment provider, to pay the amount due of an order. */
export async function payOrder(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const { order_id, path } = visit;
  if (!order_id) throw new ShopError('invalid_request', 'The form names no order.');
  await count(visit, 'storefront.getCustomerOrder');
  const back = orderPath(path, order_id);
  const act = { operation_id: 'storefront.getCustomerOrder', action: 'pay_due', body } as const;
  await runAction(
    visit,
    act,
    async (shop) => {
      await getShown(shop, order_id, customer_id);
      return { redirect: back };
    },
    (_shop, error) => Promise.reject(error),
  );
  return leaveToPay(visit, { order_id, customer_id, path: back, where: 'account' });
}

function preparedNote({ say }: Language): Html {
  return html`<div class="alert note" role="status"><p>${say('returns.prepared')} <a href="#returns">${say('returns.title')}</a></p></div>`;
}

/** `certain` means that the customer has seen which items are missing. */
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

/** Lists the items of an order that can be ordered again and those that cannot. */
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

/** Creates a checkout with the same items, or reuses an open one. If items are missing, shows them first. */
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
    // The last piece of an item was sold meanwhile, so the page lists the remaining items.
    if (error instanceof ShopError && ['insufficient_stock', 'cart_empty'].includes(error.code))
      return { redirect: again };
    throw error;
  });
}
