import type { Return, ReturnReason } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { ShopError } from '../../shop/errors.ts';
import { type ReturnOffer, returnOffer } from '../../shop/returns/offer.ts';
import type { ReturnRequest } from '../../shop/returns/request.ts';
import * as returns from '../../shop/returns/rows.ts';
import type { Shop } from '../../shop/shop.ts';
import type { FormBody } from './form-body.ts';
import { csrfField, type FormState, type Mistake, mistakeSummary, selectField, textArea } from './form-parts.ts';
import { type Html, html } from './html.ts';

export type ReturnField = 'reason' | 'note' | `quantity-${string}`;

/** The request form as it was sent. */
export type ReturnForm = Pick<FormState<ReturnField>, 'entered' | 'mistakes'>;

export interface OrderReturns extends ReturnOffer {
  made: Return[];
  /** Number of all returns, including those that are too old to be shown. */
  total: number;
}

const REASONS = [
  'changed_mind',
  'does_not_fit',
  'not_as_described',
  'damaged',
  'wrong_item',
  'arrived_late',
  'other',
] as const satisfies ReturnReason[];

/** The maximum quantity to select per line. Returning more pieces takes several requests. */
const MOST_PIECES = 50;
const SHOWN = 20;
const CANCELLABLE: Return['status'][] = ['requested', 'approved', 'in_transit'];

/** The returns of an order, and the lines that can be returned now. */
export async function returnsOf(shop: Shop, order_id: string, customer_id?: string): Promise<OrderReturns> {
  const { returns: made, total } = await returns.list(shop, { order_id, limit: SHOWN }, customer_id);
  return { made, total, ...(await returnOffer(shop, order_id)) };
}

/** The URL and the hidden fields with which the forms of the section are sent. */
export interface ReturnTarget {
  path: string;
  csrf: string;
  /** The proof of a reader without a login, which is sent with each form. */
  proof?: string;
  /** The page of another order; only in the account. */
  orderAt?: (order_id: string) => string;
}

/** The returns of an order with their states, and the form to request another return. */
export function returnsSection(
  language: Language,
  target: ReturnTarget,
  { made, lines, ...offer }: OrderReturns,
  sent: ReturnForm = { entered: {}, mistakes: [] },
): Html | false {
  const { say } = language;
  if (made.length === 0 && lines.length === 0) return false;
  return html`
<section class="part" id="returns" aria-labelledby="returns-heading">
<h2 id="returns-heading">${say(made.length > 0 ? 'returns.yours' : 'returns.title')}</h2>
${made.length > 0 && html`<ul class="cards">${made.map((one) => returnCard(language, target, one))}</ul>`}
${made.length > 0 && lines.length > 0 && html`<h3>${say('returns.title')}</h3>`}
${lines.length > 0 && requestForm(language, target, { lines, ...offer }, sent)}
</section>`;
}

/** The hidden fields of a form. */
function hidden({ csrf, proof }: ReturnTarget): Html {
  return html`${csrfField(csrf)}${proof !== undefined && html`<input type="hidden" name="proof" value="${proof}">`}`;
}

function returnCard(language: Language, target: ReturnTarget, one: Return): Html {
  const { say } = language;
  const { id, number, status, lines, decline_reason, refund_ids, exchange_order_id } = one;
  const exchange = exchange_order_id && target.orderAt?.(exchange_order_id);
  const names = lines.map(
    ({ quantity, ...line }) => html`<li>${quantity} × <span dir="auto">${nameOf(line)}</span></li>`,
  );
  const cancel = html`
<form method="post" action="${target.path}">${hidden(target)}<input type="hidden" name="return" value="${id}"><button class="secondary" name="action" value="cancel_return">${say('returns.cancel', { number })}</button></form>`;
  return html`
<li class="card">
<p>${say(`returns.state_${stateOf(one)}`, { number })}</p>
<ul class="bullets">${names}</ul>
${decline_reason && html`<p dir="auto">${decline_reason}</p>`}
${exchange && html`<p><a href="${exchange}">${say('checkout.view_order')}</a></p>`}
${CANCELLABLE.includes(status) && refund_ids.length === 0 && cancel}
</li>`;
}

function stateOf({ status, keep_goods, exchange_order_id }: Return) {
  if (status === 'approved' && keep_goods) return 'approved_keep';
  return status === 'closed' && exchange_order_id ? 'closed_exchange' : status;
}

function requestForm(
  language: Language,
  target: ReturnTarget,
  { total, lines, closes_at, fee }: Omit<OrderReturns, 'made'>,
  sent: ReturnForm,
): Html {
  const { say } = language;
  const form = { language, ...sent };
  const quantities = lines.map((line) => {
    const most = Math.min(line.returnable, MOST_PIECES);
    const choices = Array.from({ length: most }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }));
    return selectField<ReturnField>(form, {
      name: `quantity-${line.id}`,
      label: nameOf(line),
      empty: say('returns.none'),
      choices,
    });
  });
  return html`
${mistakeSummary(say('checkout.check_this'), sent.mistakes)}
${closes_at && html`<p class="hint">${say('returns.until', { day: language.day(closes_at) })}</p>`}
${fee && html`<p class="hint">${say('returns.fee', { amount: language.amount(fee.amount, fee.currency) })}</p>`}
<form method="post" action="${target.path}" novalidate>
${hidden(target)}<input type="hidden" name="seen" value="${String(total)}">
${quantities}
${selectField<ReturnField>(form, {
  name: 'reason',
  label: say('returns.reason'),
  empty: say('returns.reason_choose'),
  choices: REASONS.map((value) => ({ value, label: say(`returns.reason_${value}`) })),
})}
${textArea<ReturnField>(form, { name: 'note', label: say('returns.note'), optional: true, maximum: 1000 })}
<div class="buttons"><button class="secondary" name="action" value="request_return">${say('returns.button')}</button></div>
</form>`;
}

const QUANTITY = /^quantity-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The chosen items of a request form; undefined without items or a reason. */
export function wantedReturn(order_id: string, body: FormBody): ReturnRequest | undefined {
  const reason = REASONS.find((each) => each === body.get('reason'));
  const lines = [...body].flatMap(([name, value]) => {
    const [, line_item_id] = QUANTITY.exec(name) ?? [];
    const quantity = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
    return line_item_id && reason && quantity > 0 ? [{ line_item_id, quantity, reason }] : [];
  });
  if (lines.length === 0) return undefined;
  const seen = /^\d{1,4}$/.exec(body.get('seen') ?? '')?.[0];
  const customer_note = body.get('note')?.slice(0, 1000) ?? null;
  return { order_id, lines, customer_note, ...(seen && { seen: Number(seen) }) };
}

/** A request form that lacks items or a reason, with the mistakes at its fields. */
export function incompleteReturn({ say }: Language, { lines: [first] }: OrderReturns, body: FormBody): ReturnForm {
  const mistakes: Mistake<ReturnField>[] = [];
  const hasItems = [...body].some(([name]) => QUANTITY.test(name));
  if (!hasItems && first) mistakes.push({ field: `quantity-${first.id}`, message: say('returns.choose_items') });
  if (!body.has('reason')) mistakes.push({ field: 'reason', message: say('returns.reason_choose') });
  return { entered: Object.fromEntries(body), mistakes };
}

/** Whether the page must show the current state after an error, because its form was outdated. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ShopError && OUTDATED.includes(error.code);
}

const OUTDATED = [
  'return_quantity_exceeded',
  'return_window_closed',
  'not_returnable',
  'invalid_transition',
  'conflict',
];

function nameOf({ name, variant_name }: { name: string; variant_name: string | null }): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}
