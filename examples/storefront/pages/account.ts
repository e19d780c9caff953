import { CommerceError, type Schemas, unwrap } from '@commerce-backend/sdk';
import { noticeOf } from '../actions.ts';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';
import type { Page } from './page.ts';

export async function loginPage({ t, to }: Visit): Promise<Page> {
  const main = html`<div class="doors">
  <section><h1>${t('login')}</h1>
    <form method="post" action="${to('/login')}">
      ${field(t('email'), 'email', 'email', 'username')}
      ${field(t('password'), 'password', 'password', 'current-password')}
      <button class="primary">${t('login')}</button>
    </form>
    <details><summary>${t('forgotten')}</summary>
      <form method="post" action="${to('/forgotten')}">
        ${field(t('email'), 'email', 'email', 'email')}
        <button>${t('send_reset')}</button>
      </form>
    </details></section>
  <section><h2>${t('register')}</h2><p>${t('register_text')}</p>
    <form method="post" action="${to('/register')}">
      ${field(t('first_name'), 'first_name', 'text', 'given-name')}
      ${field(t('email'), 'email', 'email', 'email')}
      ${field(t('password'), 'password', 'password', 'new-password', t('password_hint'))}
      <button>${t('register')}</button>
    </form></section>
</div>`;
  return { title: t('login'), main, isPrivate: true };
}

function field(label: string, name: string, type: string, autocomplete: string, hint = ''): Html {
  const least = hint && html` minlength="8"`;
  return html`<label>${label} <input name="${name}" type="${type}" autocomplete="${autocomplete}" required${least}>${hint && html`<small>${hint}</small>`}</label>`;
}

/** What was in the cart before comes along. */
export async function logIn(visit: Visit): Promise<void> {
  const { body } = visit.req;
  try {
    const session = await visit.cart.login({ email: textOf(body, 'email'), password: textOf(body, 'password') });
    visit.logIn(session.access_token);
    visit.goTo(session.cart_id && visit.pieces > 0 ? '/cart' : '/account');
  } catch (error) {
    if (!(error instanceof CommerceError) || error.status >= 500) throw error;
    visit.goTo('/login', noticeOf(error));
  }
}

export async function register(visit: Visit): Promise<void> {
  const { body } = visit.req;
  const account = {
    ...{ email: textOf(body, 'email'), password: textOf(body, 'password') },
    first_name: textOf(body, 'first_name') || null,
  };
  try {
    await unwrap(visit.shop.POST('/api/storefront/customer/register', { body: account }));
    visit.goTo('/login', 'check_mail');
  } catch (error) {
    if (!(error instanceof CommerceError) || error.status >= 500) throw error;
    visit.goTo('/login', noticeOf(error));
  }
}

/** The answer never tells whether there is an account. */
export async function sendReset(visit: Visit): Promise<void> {
  const body = { email: textOf(visit.req.body, 'email') };
  const { error } = await visit.shop.POST('/api/storefront/customer/reset-request', { body });
  visit.goTo('/login', error ? 'form_refused' : 'check_mail');
}

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
      <span>${date(created_at)}</span><span>${t('order_state', { state })}</span><strong>${money(total, currency)}</strong></li>`,
  );
  const main = html`<header class="page-header"><h1>${t('hello', { name: customer.first_name ?? customer.email })}</h1>
  <form method="post" action="${to('/logout')}"><button>${t('logout')}</button></form></header>
<h2>${t('orders')}</h2>
${rows.length > 0 ? html`<ul class="orders">${rows}</ul>` : html`<p class="empty">${t('no_orders')}</p>`}`;
  return { title: t('account'), main, isPrivate: true };
}

export async function orderPage(visit: Visit): Promise<Page> {
  const path = { order_id: String(visit.req.params.id) };
  const order = await unwrap(visit.shop.GET('/api/storefront/customer/me/orders/{order_id}', { params: { path } }));
  const title = visit.t('order', { number: order.order_number });
  return { title, main: html`<h1>${title}</h1>${orderOf(visit, order)}` };
}

/** Where the hosted checkout leads back to. A customer sees the order; to a guest its mail has it. */
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

function orderOf({ t, money, date }: Visit, order: Schemas['CustomerOrder']): Html {
  const { currency, line_items, created_at, payment_status: state } = order;
  const sums = [
    [t('subtotal'), order.subtotal],
    ...(Number(order.discount) > 0 ? [[t('saved'), `-${order.discount}`] as const] : []),
    [t('delivery'), order.shipping_cost],
    [t('total'), order.total],
  ] as const;
  return html`<p>${date(created_at)} · ${t('order_state', { state })}</p>
<ul class="lines">${line_items.map(
    ({ name, variant_name, quantity, total, image_url }) => html`<li class="line">
    ${image_url ? html`<img src="${image_url}" alt="" width="120" height="120">` : html`<span class="no-picture"></span>`}
    <div><h2>${name}</h2><p class="quiet">${quantity} ×${variant_name && ` ${variant_name}`}</p></div>
    <p class="price">${money(total, currency)}</p></li>`,
  )}</ul>
<dl class="totals">${sums.map(([name, amount]) => html`<div><dt>${name}</dt><dd>${money(amount, currency)}</dd></div>`)}</dl>`;
}
