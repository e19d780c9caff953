import { type Schemas, unwrap } from '@commerce-backend/sdk';
import { refusable } from '../actions.ts';
import { type Html, html } from '../html.ts';
import { textOf, type Visit } from '../visit.ts';

type Order = Schemas['CustomerOrder'];
type Return = Schemas['Return'];

const REASONS = ['changed_mind', 'does_not_fit', 'not_as_described', 'damaged', 'wrong_item', 'other'] as const;

/** The returns of an order, a form for another one, and the link to the shop's page for withdrawals. */
export async function returnsOf(visit: Visit, order: Order): Promise<Html> {
  const { t, shop, serverUrl } = visit;
  const query = { order_id: order.id, limit: 100 };
  const [{ returns }, { withdrawal_form_path }] = await Promise.all([
    unwrap(shop.GET('/api/storefront/customer/me/returns', { params: { query } })),
    unwrap(shop.GET('/api/storefront/shop')),
  ]);
  const left = leftOf(order, returns);
  if (returns.length === 0 && left.length === 0 && !withdrawal_form_path) return html``;
  return html`<section class="returns" aria-labelledby="returns">
<h2 id="returns">${t('returns')}</h2>
${returns.map(({ number, status }) => html`<p>${t('return_state', { number, status })}</p>`)}
${left.length > 0 && returnForm(visit, order, left)}
${withdrawal_form_path && html`<p><a href="${new URL(withdrawal_form_path, serverUrl).href}">${t('withdraw')}</a></p>`}
</section>`;
}

type Left = Order['line_items'][number] & { left: number };

/**
 * Returns the shipped items for which no return exists. Declined and cancelled returns do not count. The shop checks
 * this again, and also the return period and the products.
 */
function leftOf({ line_items, fulfillments }: Order, returns: Return[]): Left[] {
  const pieces = (lines: { line_item_id: string; quantity: number }[], id: string | null | undefined) =>
    lines.filter((line) => line.line_item_id === id).reduce((sum, { quantity }) => sum + quantity, 0);
  const open = returns.filter(({ status }) => status !== 'declined' && status !== 'cancelled');
  const [shipped, returned] = [fulfillments.flatMap(({ items }) => items), open.flatMap(({ lines }) => lines)];
  return line_items
    .map((line) => ({ ...line, left: pieces(shipped, line.id) - pieces(returned, line.id) }))
    .filter(({ left }) => left > 0);
}

function returnForm({ t, to }: Visit, { id }: Order, lines: Left[]): Html {
  const most = Math.max(...lines.map(({ left }) => left));
  return html`<form class="fields" method="post" action="${to(`/account/orders/${id}/return`)}">
  <label class="whole">${t('return_item')} <select name="line">${lines.map(
    (line) =>
      html`<option value="${line.id}">${line.name}${line.variant_name && `, ${line.variant_name}`} (${line.left})</option>`,
  )}</select></label>
  <label>${t('quantity')} <input name="quantity" type="number" min="1" max="${most}" value="1" required></label>
  <label>${t('return_reason')} <select name="reason">${REASONS.map(
    (reason) => html`<option value="${reason}">${t(`reason_${reason}`)}</option>`,
  )}</select></label>
  <button>${t('request_return')}</button>
</form>`;
}

/** Requests a return of the chosen item. */
export async function requestReturn(visit: Visit): Promise<void> {
  const { req, shop } = visit;
  const order_id = String(req.params.id);
  const line = {
    line_item_id: textOf(req.body, 'line'),
    quantity: Number(textOf(req.body, 'quantity') || 1),
    reason: REASONS.find((reason) => reason === textOf(req.body, 'reason')) ?? 'other',
  };
  await refusable(visit, `/account/orders/${order_id}`, 'return_requested', () =>
    unwrap(shop.POST('/api/storefront/customer/me/returns', { body: { order_id, lines: [line] } })),
  );
}
