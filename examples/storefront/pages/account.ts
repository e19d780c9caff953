import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';
import { ofAccount } from './account-layout.ts';
import { addressLines } from './addresses.ts';
import type { Page } from './page.ts';
import { returnsOf } from './returns.ts';

export async function logOut(visit: Visit): Promise<void> {
  if (visit.isCustomer) await visit.shop.POST('/api/storefront/customer/logout');
  visit.logOut();
  visit.goTo('/');
}

export async function accountPage(visit: Visit): Promise<Page> {
  const { t, to, shop, money, date } = visit;
  const [customer, { orders }] = await Promise.all([
    unwrap(shop.GET('/api/storefront/customer/me')),
    unwrap(shop.GET('/api/storefront/customer/me/orders')),
  ]);
  const rows = orders.map(
    ({ id, order_number: number, created_at, payment_status: state, total, currency }) => html`<li>
      <a href="${to(`/account/orders/${id}`)}">${t('order', { number })}</a>
      <span>${date(created_at)}</span><span class="state">${t('order_state', { state })}</span><strong>${money(total, currency)}</strong></li>`,
  );
  const greeting = t('hello', { name: customer.first_name ?? customer.email });
  const main = html`<h2>${t('orders')}</h2>
${rows.length > 0 ? html`<ul class="orders">${rows}</ul>` : html`<p class="empty">${t('no_orders')}</p>`}`;
  return ofAccount(visit, t('account'), main, greeting);
}

export async function orderPage(visit: Visit): Promise<Page> {
  const path = { order_id: String(visit.req.params.id) };
  const order = await unwrap(visit.shop.GET('/api/storefront/customer/me/orders/{order_id}', { params: { path } }));
  const title = visit.t('order', { number: order.order_number });
  return ofAccount(visit, title, html`${orderOf(visit, order)}${await returnsOf(visit, order)}`);
}

/** The page after the hosted checkout. Customers see the order; guests see that it was mailed to them. */
export async function thanksPage(visit: Visit): Promise<Page> {
  const { t, to, req, shop, isCustomer } = visit;
  const path = { order_id: textOf(req.query, 'order_id') };
  const order = isCustomer
    ? await unwrap(shop.GET('/api/storefront/customer/me/orders/{order_id}', { params: { path } }))
    : undefined;
  const main = html`<header class="page-header"><h1>${t('thanks')}</h1><p>${t('thanks_text')}</p></header>
${order && orderOf(visit, order)}
<p><a class="button" href="${to(isCustomer ? '/account' : '/')}">${t(isCustomer ? 'orders' : 'keep_looking')}</a></p>`;
  return { title: t('thanks'), main, isPrivate: true };
}

function orderOf(visit: Visit, order: Schemas['CustomerOrder']): Html {
  const { t, money, date } = visit;
  const { currency, line_items, created_at, payment, payment_status: state, shipping_address, fulfillments } = order;
  const sums = [
    [t('subtotal'), money(order.subtotal, currency)],
    ...(Number(order.discount) > 0 ? [[t('saved'), `−${money(order.discount, currency)}`]] : []),
    [t('delivery'), money(order.shipping_cost, currency)],
    [t('total'), money(order.total, currency)],
  ];
  return html`<p>${date(created_at)} &nbsp;<span class="state">${t('order_state', { state })}</span></p>
${payment.instructions && transferOf(visit, payment.instructions)}
<ul class="lines">${line_items.map(
    ({ name, variant_name, quantity, total, image_url }) => html`<li class="line">
    ${image_url ? html`<img src="${image_url}" alt="" width="120" height="120">` : html`<span class="no-picture"></span>`}
    <div><h2>${name}</h2><p class="quiet">${quantity} ×${variant_name && ` ${variant_name}`}</p></div>
    <p class="price">${money(total, currency)}</p></li>`,
  )}</ul>
<div class="order-foot">
  <div>${shipping_address && html`<h2>${t('delivery_address')}</h2>${addressLines(visit, shipping_address)}`}
  ${fulfillments.map(
    (parcel) =>
      html`<p>${t('shipped', { date: date(parcel.created_at) })}${parcel.tracking_url && html` · <a href="${parcel.tracking_url}">${t('track')}</a>`}</p>`,
  )}</div>
  <dl class="totals">${sums.map(([name, amount]) => html`<div><dt>${name}</dt><dd>${amount}</dd></div>`)}</dl>
</div>`;
}

/** Shows the bank details for an order that is paid by transfer. */
function transferOf({ t, money, date }: Visit, transfer: Schemas['PaymentInstructions']): Html {
  const { amount, currency, account_holder, iban, bic, bank_name, reference, instructions, due_at } = transfer;
  const facts = [
    [t('recipient'), account_holder],
    ['IBAN', iban.replaceAll(/(.{4})(?=.)/g, '$1 ')],
    ['BIC', bic],
    [t('bank'), bank_name],
    [t('reference'), reference],
  ].filter(([, fact]) => fact !== null);
  return html`<section class="transfer" aria-label="${t('how_to_pay')}">
  <h2>${t('please_transfer', { amount: money(amount, currency), date: date(due_at) })}</h2>
  <dl class="facts">${facts.map(([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`)}</dl>
  ${instructions && html`<p>${instructions}</p>`}
</section>`;
}
