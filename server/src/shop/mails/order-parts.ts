import type { Address, CustomerOrder, Fulfillment, PaymentInstructions } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';
import { decimal, minorUnits } from '../money.ts';
import type { DueInstructions, ShownOrder, ShownRefund } from '../orders/shown.ts';
import { transferCode } from '../payments/transfer-code.ts';
import type { MailContext } from './context.ts';
import type { Amount, Item, Part, ScanCode } from './parts.ts';
import { imageOf } from './transfer-image.ts';

export interface Told {
  context: MailContext;
  language: Language;
  order: ShownOrder;
}

/** Describes the next step, with payment instructions if the customer pays by bank transfer. */
export function next({ language, order }: Told): Part[] {
  const { say } = language;
  const { instructions } = order.payment;
  const isOnTerms = order.payment_terms_days !== null;
  if (!instructions) {
    const isOpen = order.payment_status === 'pending';
    const wait = order.payment_method === 'manual' ? 'mail.next_handed_over' : 'mail.next_unconfirmed';
    if (isOpen && !isOnTerms) return [{ paragraph: say(wait) }];
    const isNext = order.has_goods && order.fulfillment_status === 'unfulfilled';
    return isNext ? [{ paragraph: say('mail.next_preparing') }] : [];
  }
  const transfer = order.has_goods ? 'mail.next_transfer' : 'mail.next_transfer_only';
  const sentence = say(isOnTerms ? 'mail.next_invoice' : transfer, { day: language.day(instructions.due_at) });
  return transferParts(language, sentence, instructions);
}

/** Describes how to transfer an amount: the sentence, the account and the shop's instructions. */
function transferParts(
  language: Language,
  sentence: string,
  instructions: DueInstructions | PaymentInstructions,
): Part[] {
  const { say } = language;
  const facts: [string, string][] = [
    [say('checkout.amount'), language.amount(instructions.amount, instructions.currency)],
    [say('checkout.reference'), instructions.reference],
    [say('checkout.recipient'), instructions.account_holder],
    [say('checkout.iban'), instructions.iban.replaceAll(/(.{4})(?=.)/g, '$1 ')],
  ];
  if (instructions.bic) facts.push([say('checkout.bic'), instructions.bic]);
  if (instructions.bank_name) facts.push([say('checkout.bank'), instructions.bank_name]);
  return [
    { paragraph: sentence },
    { transfer: facts, code: scanCode(language, instructions) },
    ...(instructions.instructions ? [{ paragraph: instructions.instructions }] : []),
  ];
}

function scanCode({ say }: Language, instructions: DueInstructions | PaymentInstructions): ScanCode | null {
  const code = transferCode(instructions);
  return code ? { bytes: imageOf(code), label: say('checkout.scan_label'), caption: say('checkout.scan') } : null;
}

/** Lists number, items, amounts, payment and, for goods, delivery. The default heading is for customers. */
export function contentOf(told: Told, heading = told.language.say('mail.items')): Part[] {
  const { language, order } = told;
  const { say } = language;
  return [
    { heading },
    {
      facts: [
        [say('mail.number'), order.order_number],
        [say('mail.placed_on'), language.day(order.created_at)],
      ],
    },
    { items: order.line_items.map((line) => itemOf(line, String(line.quantity), amountOf(told, line.total))) },
    { amounts: amountsOf(told) },
    { blocks: blocksOf(told) },
  ];
}

/** The delivery address of goods, the payment method with its status, and the delivery method. */
function blocksOf({ language, order }: Told) {
  const { say } = language;
  const { payment_method, payment_status, payment_terms_days, shipping_method, has_goods, due } = order;
  const address = linesOf(language, has_goods ? order.shipping_address : null);
  const state = say(`account.payment_${payment_status === 'paid' && due ? 'part_paid' : payment_status}`);
  const method = payment_method && say(`checkout.pay_${payment_terms_days === null ? payment_method : 'invoice'}`);
  const payment = method ? say('order.payment_by', { method, state }) : state;
  const delivery = has_goods && shipping_method ? [{ heading: say('order.delivery'), lines: [shipping_method] }] : [];
  return [
    ...(address.length > 0 ? [{ heading: say('checkout.delivery_address'), lines: address }] : []),
    ...delivery,
    { heading: say('order.payment'), lines: [payment] },
  ];
}

type Line = Pick<CustomerOrder['line_items'][number], 'name' | 'variant_name' | 'image_url'>;

/** Leaves out an image without https, because mail programs do not load it. */
export function itemOf({ name, variant_name, image_url }: Line, detail: string, amount: string | null): Item {
  const picture = image_url?.startsWith('https://') ? image_url : null;
  return { name, variant: variant_name ?? null, detail, amount, picture };
}

function linesOf(language: Language, address: Address | null | undefined): string[] {
  if (!address) return [];
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address;
  const name = [first_name, last_name].filter(Boolean).join(' ');
  const place = [postal_code, city].filter(Boolean).join(' ');
  const lines = [name, company, address1, address2, place, state, country && language.country(country)];
  return lines.filter((line): line is string => Boolean(line));
}

const AFTER_PARCEL = {
  unfulfilled: undefined,
  partially_fulfilled: 'mail.parcel_others',
  fulfilled: 'mail.parcel_all',
  delivered: undefined,
  returned: undefined,
} as const;

/** The carrier, the tracking number and the tracking link of a parcel. */
export function trackingOf({ language: { say }, order }: Told, parcel: Fulfillment): Part[] {
  if (!order.has_goods) return [];
  const facts: [string, string][] = [];
  if (parcel.carrier) facts.push([say('mail.carrier'), parcel.carrier]);
  if (parcel.tracking_number) facts.push([say('mail.tracking_number'), parcel.tracking_number]);
  return [
    ...(facts.length > 0 ? [{ facts }] : []),
    ...(parcel.tracking_url ? [{ link: parcel.tracking_url, label: say('mail.track') }] : []),
  ];
}

/** Lists the items of a parcel, and states whether more parcels follow. */
export function parcelOf({ language, order }: Told, { items }: Fulfillment): Part[] {
  const { say } = language;
  const content = order.line_items.flatMap((line) => {
    const item = items.find(({ line_item_id }) => line_item_id === line.id);
    const detail = item && say('mail.of', { count: item.quantity, total: line.quantity });
    return detail ? [itemOf(line, detail, null)] : [];
  });
  if (!order.has_goods) return [{ heading: say('mail.provided_items') }, { items: content }];
  const after = AFTER_PARCEL[order.fulfillment_status];
  return [{ heading: say('mail.parcel') }, { items: content }, ...(after ? [{ paragraph: say(after) }] : [])];
}

type Amounts = Pick<
  ShownOrder,
  'subtotal' | 'discount' | 'shipping_cost' | 'tax' | 'tax_included' | 'total' | 'currency'
> &
  Partial<Pick<ShownOrder, 'tax_lines'>>;

/** Lists the amounts. The rows before the total add up to it; tax that the prices include comes after it. */
export function amountsOf(told: { language: Language; order: Amounts }): Amount[] {
  const { language, order } = told;
  const { say } = language;
  const row = (name: string, amount: string, sign = ''): Amount[] =>
    /[1-9]/.test(amount) ? [{ name, amount: sign + amountOf(told, amount) }] : [];
  const total: Amount = { name: say('checkout.total'), amount: amountOf(told, order.total), kind: 'total' };
  const taxes = taxesOf(told).flatMap(({ name, amount }) => row(name, amount));
  return [
    ...row(say('checkout.subtotal'), order.subtotal),
    ...row(say('checkout.discount'), order.discount, '−'),
    ...row(say('checkout.delivery'), order.shipping_cost),
    ...(order.tax_included ? [] : taxes),
    total,
    ...(order.tax_included ? taxes.map((tax): Amount => ({ ...tax, kind: 'note' })) : []),
  ];
}

/** The tax by rates, or all of it if the rates are unknown. */
function taxesOf({ language, order }: { language: Language; order: Amounts }): { name: string; amount: string }[] {
  const { say } = language;
  const { tax, tax_included, tax_lines = [] } = order;
  if (tax_lines.length === 0) return [{ name: say(tax_included ? 'mail.tax_included' : 'checkout.tax'), amount: tax }];
  return tax_lines.map((line) => {
    const rate = language.percent(line.rate);
    return { name: say(tax_included ? 'mail.tax_included_at' : 'order.tax_at', { rate }), amount: line.tax };
  });
}

export function amountOf(
  { language, order }: { language: Language; order: Pick<ShownOrder, 'currency'> },
  amount: string,
): string {
  return language.amount(amount, order.currency);
}

/** States how much of an exchange order the returned items pay. */
export function exchangeOf(told: Told): Part[] {
  const { language, order } = told;
  if (order.exchange_credit === null) return [];
  return [{ paragraph: language.say('order.exchange_credit', { amount: amountOf(told, order.exchange_credit) }) }];
}

/** States the amount due after an edit or an exchange, and how to pay it. */
export function dueOf(told: Told): Part[] {
  const { language, order } = told;
  if (!order.due) return [];
  const { amount, instructions, has_payment_account } = order.due;
  const said = (way: 'mail.edited_due_transfer' | 'mail.edited_due_online' | 'mail.edited_due') =>
    language.say(way, { amount: amountOf(told, amount) });
  if (has_payment_account) return [{ paragraph: said('mail.edited_due_online') }];
  if (!instructions) return [{ paragraph: said('mail.edited_due') }];
  return transferParts(language, said('mail.edited_due_transfer'), instructions);
}

/**
 * States the amount due or the refund due after an edit. An order that awaits its transfer gets payment instructions.
 */
export function moneyAfterEdit(told: Told): Part[] {
  const { language, order } = told;
  if (order.payment.instructions) return next(told);
  if (order.due) return dueOf(told);
  const owed = minorUnits(order.refund_due, told.context.shop.currencyDigits) > 0;
  return owed ? [{ paragraph: language.say('mail.money_owed', { amount: amountOf(told, order.refund_due) }) }] : [];
}

/** Explains what happens to the payment of a cancelled order. */
export function moneyBack(told: Told): Part[] {
  const { context, language, order } = told;
  const digits = context.shop.currencyDigits;
  const sum = (wanted: ShownRefund['status']) =>
    order.refunds
      .filter(({ status }) => status === wanted)
      .reduce((total, { amount }) => total + minorUnits(amount, digits), 0);
  const refunded = sum('succeeded');
  const pending = sum('pending');
  const owed = minorUnits(order.refund_due, digits);
  const said = (key: 'mail.money_refunded' | 'mail.money_pending' | 'mail.money_owed', minor: number): Part[] =>
    minor > 0 ? [{ paragraph: language.say(key, { amount: amountOf(told, decimal(minor, digits)) }) }] : [];
  if (refunded + pending + owed <= 0) {
    const isTransfer = order.payment_method === 'bank_transfer';
    return [{ paragraph: language.say(isTransfer ? 'mail.nothing_received' : 'mail.nothing_charged') }];
  }
  return [
    ...said('mail.money_refunded', refunded),
    ...said('mail.money_pending', pending),
    ...said('mail.money_owed', owed),
  ];
}
