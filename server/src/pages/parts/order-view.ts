import type { Fulfillment, LineItem } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import type { ShownOrder, ShownRefund } from '../../shop/orders/shown.ts';
import { addressLines } from './address-lines.ts';
import { linkOut } from './document.ts';
import { type Html, html } from './html.ts';
import { orderState } from './order-state.ts';
import { summaryLines, summaryOfOrder, summaryTotals } from './order-summary.ts';
import { transfer } from './transfer.ts';
import { moment, money, rich } from './words.ts';

/** The data of an order page, in the account or behind a link in a mail. */
export interface OrderView {
  language: Language;
  /** The server's origin. Images from it are shown in addition to images with https URLs. */
  ownOrigin: string;
  order: ShownOrder;
  /** An alert below the heading, for example after a failed action. */
  alert?: Html | false | undefined;
  /** Shown instead of the addresses, if the reader may not see them. */
  addresses?: Html | undefined;
  /** The form that pays the amount due online. */
  payForm?: Html | undefined;
  /** Forms and links below the totals. */
  actions?: Html | undefined;
}

/** The heading and content of an order page. */
export function orderView({ language, ownOrigin, order, alert, addresses, payForm, actions }: OrderView): Html {
  const { say } = language;
  const shown = summaryOfOrder(language, order);
  return html`
<h1>${say('account.order', { number: order.order_number })}</h1>
<p class="number">${rich(language, 'order.placed', { moment: moment(language, order.created_at) })}</p>
${alert}
<div class="columns">
<div class="entry">
${stateOf(language, order)}
${transfer(language, order.payment)}
${dueOf(language, order, payForm)}
${standing(language, order)}
${parcels(language, order)}
${refundsOf(language, order)}
${addresses ?? addressesOf(language, order)}
</div>
<aside class="summary" id="summary" aria-labelledby="summary-heading">
<h2 id="summary-heading">${say('checkout.your_order')}</h2>
${summaryLines(shown, ownOrigin)}
${summaryTotals(shown)}
${actions}
</aside>
</div>`;
}

/** Shows the state of the order in a phrase, the next step, and a link that tracks the newest parcel on its way. */
function stateOf(language: Language, order: ShownOrder): Html {
  const { say } = language;
  const state = orderState(order);
  const isPickup = state === 'preparing' && order.shipping_kind === 'pickup';
  const isOver = state === 'returned' || state === 'refunded' || state === 'cancelled';
  const parcel =
    order.has_goods && !isOver
      ? order.fulfillments.findLast(({ delivered_at, tracking_url }) => !delivered_at && isWebAddress(tracking_url))
      : undefined;
  return html`
<section class="order-state is-${state}" aria-labelledby="order-state">
<h2 id="order-state">${say(`order.state_${state}`)}</h2>
<p>${say(isPickup ? 'order.state_preparing_pickup_next' : `order.state_${state}_next`)}</p>
${parcel?.tracking_url && html`<p><a class="button" href="${parcel.tracking_url}" target="_blank" rel="noopener noreferrer">${say('order.track')}</a></p>`}
</section>`;
}

/** Shows the amount due after an edit or an exchange, and how to pay it: online, by bank transfer, or as agreed. */
function dueOf(language: Language, { due, currency, payment_status: status }: ShownOrder, payForm?: Html) {
  if (!due) return undefined;
  const { instructions, is_processing } = due;
  const bank = transfer(language, { status, instructions });
  if (bank && !payForm && !is_processing) return bank;
  const online = bank ? 'order.due_online_or_transfer' : 'order.due_online';
  const text = is_processing ? 'order.due_processing' : payForm ? online : 'order.amount_due_text';
  return html`
<section class="part" id="due" aria-labelledby="due-heading">
<h2 id="due-heading">${language.say('order.amount_due')}</h2>
<p>${rich(language, text, { amount: money(language, due.amount, currency) })}</p>
${!is_processing && payForm}
</section>
${!is_processing && bank}`;
}

/** Payment status and delivery status. */
function standing(language: Language, order: ShownOrder): Html {
  const { say } = language;
  const { status, payment_status, payment_method, fulfillment_status, shipping_method, cancelled_at } = order;
  const { has_goods, exchange_credit } = order;
  const paid = say(`account.payment_${payment_status === 'paid' && order.due ? 'part_paid' : payment_status}`);
  const sent = say(`account.delivery_${fulfillment_status}`);
  const method =
    payment_method && say(`checkout.pay_${order.payment_terms_days === null ? payment_method : 'invoice'}`);
  const payment = method ? say('order.payment_by', { method, state: paid }) : paid;
  const delivery = shipping_method ? say('order.delivery_by', { method: shipping_method, state: sent }) : sent;
  return html`
<section class="part">
<dl class="facts">
<div><dt>${say('order.payment')}</dt><dd>${payment}</dd></div>
${status !== 'cancelled' && has_goods && html`<div><dt>${say('order.delivery')}</dt><dd dir="auto">${delivery}</dd></div>`}
</dl>
${exchange_credit !== null && html`<p>${rich(language, 'order.exchange_credit', { amount: money(language, exchange_credit, order.currency) })}</p>`}
${cancelled_at && html`<p>${rich(language, 'order.cancelled_on', { moment: moment(language, cancelled_at) })}</p>`}
</section>`;
}

function parcels(language: Language, { fulfillments, line_items, has_goods }: ShownOrder): Html | undefined {
  if (!has_goods || fulfillments.length === 0) return undefined;
  return html`
<section class="part" aria-labelledby="parcels">
<h2 id="parcels">${language.say('order.parcels')}</h2>
<ul class="cards">
${fulfillments.map((parcel) => parcelCard(language, parcel, line_items))}
</ul>
</section>`;
}

function parcelCard(language: Language, parcel: Fulfillment, lines: readonly LineItem[]): Html {
  const { say } = language;
  const { carrier, tracking_number, tracking_url, created_at, delivered_at, items } = parcel;
  const content = items.flatMap(({ line_item_id, quantity }) => {
    const line = lines.find(({ id }) => id === line_item_id);
    return line
      ? [html`<li><span class="pieces">${quantity}</span> × <span dir="auto">${nameOf(line)}</span></li>`]
      : [];
  });
  const label = tracking_number ? say('order.track_number', { number: tracking_number }) : say('order.track');
  return html`
<li class="card">
<p class="card-title"><strong>${rich(language, 'order.parcel', { moment: moment(language, created_at) })}</strong></p>
${delivered_at && html`<p>${rich(language, 'order.parcel_delivered', { moment: moment(language, delivered_at) })}</p>`}
${content.length > 0 && html`<ul class="bullets">${content}</ul>`}
<dl class="amounts">
${carrier && html`<div><dt>${say('order.carrier')}</dt><dd dir="auto">${carrier}</dd></div>`}
${tracking_number && html`<div><dt>${say('order.tracking_number')}</dt><dd class="copy" dir="auto">${tracking_number}</dd></div>`}
</dl>
${isWebAddress(tracking_url) && html`<p>${linkOut(tracking_url, label)}</p>`}
</li>`;
}

function nameOf({ name, variant_name }: LineItem): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}

/**
 * Whether the address is an http or https URL. The contract requires that, but an imported order may contain anything.
 */
function isWebAddress(address: string | null): address is string {
  return address !== null && /^https?:\/\//i.test(address) && URL.canParse(address);
}

function refundsOf(language: Language, { refunds, refund_due, currency }: ShownOrder): Html | undefined {
  const isDue = Number(refund_due) > 0;
  if (refunds.length === 0 && !isDue) return undefined;
  const sentence = ({ amount, status, refunded_at }: ShownRefund) => {
    const values = { amount: money(language, amount, currency), moment: moment(language, refunded_at) };
    return rich(language, status === 'pending' ? 'order.refund_pending' : 'order.refund_done', values);
  };
  return html`
<section class="part" aria-labelledby="refunds">
<h2 id="refunds">${language.say('order.refunds')}</h2>
${refunds.map((refund) => html`<p>${sentence(refund)}</p>`)}
${isDue && html`<p>${rich(language, 'order.refund_due', { amount: money(language, refund_due, currency) })}</p>`}
</section>`;
}

function addressesOf(language: Language, { shipping_address, billing_address, has_goods }: ShownOrder): Html {
  const part = (heading: string, address: ShownOrder['shipping_address']) =>
    address && html`<section class="part"><h2>${heading}</h2>${addressLines(language, address)}</section>`;
  return html`
${has_goods && part(language.say('checkout.delivery_address'), shipping_address)}
${part(language.say('checkout.billing_address'), billing_address)}`;
}
