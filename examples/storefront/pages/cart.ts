import type { Schemas } from '@commerce-backend/sdk';
import { type Html, html } from '../html.ts';
import type { Visit } from '../visit.ts';
import { messagePage, withFavourites } from './message.ts';
import type { Page } from './page.ts';

type Cart = Schemas['Cart'];

export async function cartPage(visit: Visit): Promise<Page> {
  const { t, to, pieces } = visit;
  if (pieces === 0) return withFavourites(visit, messagePage(visit, 'cart_empty'));
  const cart = await visit.cart.get();
  const main = html`<h1>${t('cart')}</h1>
<div class="cart">
  <ul class="lines">${cart.items.map((item) => line(visit, cart, item))}</ul>
  <aside class="summary">
    ${totals(visit, cart)}
    <form class="code" method="post" action="${to('/cart/code')}">
      <label>${t('code')} <input name="code" value="${cart.discount_code}" maxlength="64" autocapitalize="characters"></label>
      <button>${t('apply')}</button>
    </form>
    <form method="post" action="${to('/checkout')}"><button class="primary">${t('to_checkout')}</button></form>
    <p class="quiet">${t('shipping_later')}</p>
  </aside>
</div>`;
  return { title: t('cart'), main, isPrivate: true };
}

function line({ t, to, money }: Visit, { currency, warnings }: Cart, item: Cart['items'][number]): Html {
  const { id, product_id, variant_id, name, variant_name, image_url, quantity, total } = item;
  const warning = warnings.find(({ line_item_id, code }) => line_item_id === id && code !== 'low_stock');
  return html`<li class="line">
  ${image_url ? html`<img src="${image_url}" alt="" width="120" height="120">` : html`<span class="no-picture"></span>`}
  <div>
    <h2><a href="${to(`/products/${product_id}?variant=${variant_id}`)}">${name}</a></h2>
    ${variant_name && html`<p class="quiet">${variant_name}</p>`}
    ${warning && html`<p class="few">${t(warning.code === 'unavailable' ? 'sold_out' : 'insufficient_stock')}</p>`}
    <form class="amount" method="post" action="${to('/cart/line')}">
      <input type="hidden" name="line" value="${id}">
      <label><span class="unseen">${t('quantity')}, ${name}</span><input type="number" name="quantity" value="${quantity}" min="0" max="99"></label>
      <button>${t('update')}</button>
    </form>
    <form method="post" action="${to('/cart/line')}">
      <input type="hidden" name="line" value="${id}"><input type="hidden" name="quantity" value="0">
      <button class="plain" aria-label="${t('remove_what', { name })}">${t('remove')}</button>
    </form>
  </div>
  <p class="price">${money(total, currency)}</p>
</li>`;
}

function totals({ t, money }: Visit, { subtotal, discount, discount_code, total, currency }: Cart): Html {
  return html`<dl class="totals">
  <div><dt>${t('subtotal')}</dt><dd>${money(subtotal, currency)}</dd></div>
  ${discount_code && html`<div><dt>${t('discount', { code: discount_code })}</dt><dd>−${money(discount, currency)}</dd></div>`}
  <div class="sum"><dt>${t('total')}</dt><dd>${money(total, currency)}</dd></div>
</dl>`;
}
