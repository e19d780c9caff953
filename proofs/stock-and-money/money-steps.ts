import { randomUUID } from 'node:crypto';
import { inShop } from '../../server/src/shop/in-shop.ts';
import { takeMadeRefund } from '../../server/src/shop/orders/made-refunds.ts';
import { settle } from '../../server/src/shop/orders/refunds.ts';
import { takeDispute } from '../../server/src/shop/orders/reported-disputes.ts';
import { type Shop, SYSTEM } from '../../server/src/shop/shop.ts';
import type { Chance } from '../testing/random.ts';
import { type OpenShop, untilConnected } from '../testing/test-server.ts';
import type { Ledger, LedgerLine, LedgerRefund, Piece } from './money-ledger.ts';

/** Steps of a random history of an order and its money. A step that is not possible does nothing. */

export interface History {
  shop: OpenShop;
  chance: Chance;
  ledger: Ledger;
  /** Received returns with items that were not refunded. */
  returns: { id: string; kept: number; pieces: Piece[] }[];
  /** A product that edits add to orders. Its price is in minor units. */
  product: { variant_id: string; price: number };
  money(minor: number): string;
  fault(text: string): void;
}

type Step = (history: History) => Promise<void>;

export const STEPS: [string, Step][] = [
  ['pay', pay],
  ['pay a part', payPart],
  ['pay a part', payPart],
  ['edit', edit],
  ['edit', edit],
  ['pay the rest', payRest],
  ['ship', ship],
  ['ship', ship],
  ['refund an amount', refundAmount],
  ['refund an amount', refundAmount],
  ['refund pieces', refundPieces],
  ['refund pieces', refundPieces],
  ['refund too much', refundTooMuch],
  ['refund too much', refundTooMuch],
  ['settle a refund', settleAny],
  ['settle a refund', settleAny],
  ["refund in the provider's dashboard", refundElsewhere],
  ['return pieces', returnPieces],
  ['return pieces', returnPieces],
  ['refund a return', refundReturn],
  ['report a dispute', dispute],
  ['report a dispute', dispute],
  ['report a dispute', dispute],
  ['cancel', cancel],
];

async function pay({ shop, ledger }: History): Promise<void> {
  const path = { order_id: ledger.order.id };
  if (ledger.isPaid || ledger.isCancelled || ledger.order.method === 'terms') return;
  const isTransfer = ledger.order.method === 'bank_transfer';
  const { data } = await shop.ask(isTransfer ? 'dashboard.markOrderPaid' : 'dashboard.markOrderDelivered', { path });
  if (data) ledger.pay();
}

/**
 * Records a payment for an order that awaits a transfer or is on payment terms: part of the amount due, all of it, or
 * more.
 */
async function payPart({ shop, chance, ledger, money, fault }: History): Promise<void> {
  const isAwaited = ledger.order.method === 'bank_transfer' && !ledger.isPaid && !ledger.isCancelled;
  if (!isAwaited && ledger.order.method !== 'terms') return;
  const part = some(chance, Math.ceil(ledger.order.total / 2) || 1);
  const amount = chance.of([part, part, ledger.amountDue + chance.of([0, some(chance, 300)])]) || part;
  const { data, refusal } = await shop.ask('dashboard.recordOrderPayment', {
    path: { order_id: ledger.order.id },
    body: { amount: money(amount), method: 'bank_transfer' },
  });
  if (data) ledger.record(amount);
  else fault(`a payment of ${money(amount)} was refused: ${JSON.stringify(refusal)}`);
}

/** Lowers the quantity of a line, adds a product, or both, with the total that the dry run returned. */
async function edit(history: History): Promise<void> {
  const { shop, chance, ledger, money, fault, product } = history;
  if (ledger.isCancelled) return;
  const line = chance.of(ledger.lines);
  const fixed = line.fulfilled + line.removed;
  const quantity = fixed + Math.floor(chance.next() * (line.quantity - fixed + 1));
  const pieces = chance.of([0, 0, 1, 3]);
  const share = (whole: number) => Math.floor((2 * whole * quantity + line.quantity) / (2 * line.quantity));
  const after =
    line.quantity === 0
      ? { total: 0, discount: 0, tax: 0 }
      : { total: share(line.total), discount: share(line.discount), tax: share(line.tax) };
  const { included } = ledger.order;
  const charged = after.total - after.discount + (included ? 0 : after.tax);
  const change = charged - line.charged + pieces * product.price;
  const path = { order_id: ledger.order.id };
  const body = {
    ...(quantity !== line.quantity && { change: [{ line_item_id: line.id, quantity }] }),
    ...(pieces > 0 && { add: [{ variant_id: product.variant_id, quantity: pieces }] }),
  };
  if (Object.keys(body).length === 0) return;
  const preview = await shop.ask('dashboard.editOrder', { path, body: { ...body, dry_run: true } });
  if (!preview.data) return;
  const expected = money(ledger.order.total + change);
  if (preview.data.expected_total !== expected) {
    fault(`expected the total ${expected} after an edit, got ${preview.data.expected_total}`);
  }
  const expected_total = preview.data.expected_total;
  const { data, refusal } = await shop.ask('dashboard.editOrder', { path, body: { ...body, expected_total } });
  if (!data) return fault(`an edit was refused after its dry run: ${JSON.stringify(refusal)}`);
  ledger.edit(change, { of: line, id: line.id, quantity, charged, ...after });
  const known = new Set(ledger.lines.map(({ id }) => id));
  const [added] = data.order.line_items.filter(({ id }) => id && !known.has(id));
  if (!added?.id) return;
  const total = pieces * product.price;
  const fresh = { id: added.id, quantity: pieces, total, discount: 0, tax: 0, charged: total };
  ledger.lines.push({ ...fresh, fulfilled: 0, refunded: 0, removed: 0 });
}

async function payRest({ shop, chance, ledger, money, fault }: History): Promise<void> {
  if (!ledger.isPaid || ledger.amountDue === 0) return;
  const amount = chance.of([ledger.amountDue, ledger.amountDue, some(chance, ledger.amountDue), ledger.amountDue + 1]);
  const { data, refusal } = await shop.ask('dashboard.recordOrderPayment', {
    path: { order_id: ledger.order.id },
    body: { amount: money(amount), method: 'cash' },
  });
  if (data) ledger.record(amount);
  else fault(`the payment of an amount due was refused: ${JSON.stringify(refusal)}`);
}

async function ship({ shop, chance, ledger }: History): Promise<void> {
  const left = ledger.lines.filter(({ quantity, fulfilled, removed }) => quantity > fulfilled + removed);
  const chosen = chance.some(left, 1 + Math.floor(chance.next() * left.length));
  if (chosen.length === 0) return;
  const items = chosen.map((line) => ({ line, quantity: some(chance, line.quantity - line.fulfilled - line.removed) }));
  const { data } = await shop.ask('dashboard.createFulfillment', {
    path: { order_id: ledger.order.id },
    body: { items: items.map(({ line, quantity }) => ({ line_item_id: line.id, quantity })), override_dispute: true },
  });
  if (data) for (const { line, quantity } of items) line.fulfilled += quantity;
}

async function refundAmount(history: History): Promise<void> {
  const { chance, ledger } = history;
  if (ledger.refundable === 0) return;
  const part = some(chance, Math.ceil(ledger.refundable / 4));
  await refund(history, chance.of([ledger.refundable, part, part, part]), []);
}

async function refundTooMuch({ shop, ledger, money, fault }: History): Promise<void> {
  const { status, refusal } = await shop.ask('dashboard.createRefund', {
    path: { order_id: ledger.order.id },
    body: { amount: money(ledger.refundable + 1), reason: 'other' },
  });
  const hasMoney = ledger.isPaid || ledger.received > 0;
  const code = hasMoney ? 'refund_exceeds_paid' : 'invalid_transition';
  if (refusal?.error !== code) fault(`more than is left was answered ${status} ${JSON.stringify(refusal)}`);
  if (hasMoney && refusal?.refundable !== money(ledger.refundable)) fault(`${refusal?.refundable} is refundable`);
}

/**
 * Refunds items, in most cases with the suggested amount. The suggestion must be the share of these items in the
 * charged amount.
 */
async function refundPieces(history: History): Promise<void> {
  const { shop, chance, ledger, money, fault } = history;
  if (ledger.isCancelled || ledger.refundable === 0) return;
  const left = ledger.lines.flatMap((line): Piece[] => [
    { line, quantity: line.quantity - line.fulfilled - line.removed, shipped: false },
    { line, quantity: line.fulfilled - (line.refunded - line.removed), shipped: true },
  ]);
  const possible = left.filter(({ quantity }) => quantity > 0);
  const chosen = chance
    .some(possible, 1 + Math.floor(chance.next() * possible.length))
    .filter(({ line }, i, all) => all.findIndex((other) => other.line === line) === i)
    .map((piece) => ({ ...piece, quantity: chance.of([1, some(chance, piece.quantity)]) }));
  if (chosen.length === 0) return;
  const line_items = chosen.map(({ line, quantity, shipped }) => ({ line_item_id: line.id, quantity, shipped }));
  const suggested = await shop.must('dashboard.suggestRefund', {
    path: { order_id: ledger.order.id },
    body: { line_items },
  });
  const price = chosen.reduce((sum, { line, quantity }) => sum + ledger.share(line, quantity), 0);
  const amount = Math.min(price, ledger.refundable);
  if (suggested.amount !== money(amount)) fault(`expected the suggestion ${money(amount)}, got ${suggested.amount}`);
  if (amount > 0) await refund(history, chance.of([amount, amount, amount, some(chance, ledger.refundable)]), chosen);
}

async function refund(history: History, amount: number, pieces: Piece[]): Promise<void> {
  const { shop, ledger, money, fault } = history;
  const line_items = pieces.map(({ line, quantity, shipped }) => ({ line_item_id: line.id, quantity, shipped }));
  const { data, refusal } = await shop.ask('dashboard.createRefund', {
    path: { order_id: ledger.order.id },
    body: { amount: money(amount), reason: 'other', ...(line_items.length > 0 && { line_items }) },
  });
  if (!data) return fault(`a refund of ${money(amount)} was refused: ${JSON.stringify(refusal)}`);
  await note(history, amount, pieces);
}

/**
 * Adds the refund that was just made to the ledger. The server splits a refund that exceeds the amount at the provider.
 */
async function note({ shop, ledger, money, fault }: History, amount: number, pieces: Piece[] = []): Promise<void> {
  const parts = ledger.partsOf(amount, pieces);
  const { refunds } = await shop.must('dashboard.listRefunds', { path: { order_id: ledger.order.id } });
  const made = refunds.filter(({ id }) => !ledger.refunds.some((known) => known.id === id));
  const found = parts.map((part) => {
    const status = part.isByHand ? ('succeeded' as const) : ('pending' as const);
    const match = made.find((one) => one.amount === money(part.amount) && one.status === status);
    if (!match) fault(`expected a refund of ${money(part.amount)} that is ${status}`);
    return { ...part, status, id: match?.id ?? '' };
  });
  if (made.length !== parts.length) fault(`expected ${parts.length} refunds, got ${made.length}`);
  ledger.refund(found, pieces);
}

/** Ends a pending refund, or simulates that the bank returns a refund. */
async function settleAny(history: History): Promise<void> {
  const { chance, ledger } = history;
  const open = ledger.refunds.filter(({ status, isByHand }) => status !== 'failed' && !isByHand);
  if (open.length === 0) return;
  const refund = chance.of(open);
  await settleOne(history, refund, refund.status === 'succeeded' ? 'failed' : chance.of(['succeeded', 'failed']));
}

export async function settleOne({ shop, ledger }: History, refund: LedgerRefund, status: 'succeeded' | 'failed') {
  await inside(shop, (within) => settle(within, refund.id, { status, reference: refund.id, reason: null }));
  ledger.settleRefund(refund, status);
}

async function refundElsewhere({ shop, chance, ledger }: History): Promise<void> {
  const returned = ledger.refunds.reduce(
    (sum, one) => sum + (one.status === 'failed' || one.isByHand ? 0 : one.amount),
    0,
  );
  const most = Math.min(ledger.received - ledger.live, ledger.received - ledger.recorded - returned);
  if (ledger.order.method !== 'card' || most === 0) return;
  const [amount, reference] = [some(chance, Math.ceil(most / 2)), randomUUID()];
  const outcome = { status: 'succeeded', reference, reason: null } as const;
  const overpaid = ledger.partsOf(amount).reduce((sum, part) => sum + part.overpaid, 0);
  await inside(shop, (within) => takeMadeRefund(within, ledger.order.payment_id, { amount, reason: 'other', outcome }));
  const { refunds } = await shop.must('dashboard.listRefunds', { path: { order_id: ledger.order.id } });
  const id = refunds.find(({ provider_reference }) => provider_reference === reference)?.id ?? '';
  ledger.refund([{ id, amount, overpaid, isByHand: false, status: 'succeeded' }]);
}

/** Returns shipped items, which arrive immediately. Before the order is paid, they reduce the amount due. */
async function returnPieces({ shop, chance, ledger, returns, money }: History): Promise<void> {
  const line = chance.of(ledger.lines);
  if (line.fulfilled === 0) return;
  const [quantity, fee] = [some(chance, line.fulfilled), chance.of([0, 0, some(chance, 200)])];
  const { data } = await shop.ask('dashboard.createReturn', {
    body: {
      order_id: ledger.order.id,
      lines: [{ line_item_id: line.id, quantity, reason: 'other' }],
      fee: money(fee),
      override_policy: true,
    },
  });
  if (!data) return;
  const id = data.lines[0]?.id ?? '';
  await shop.must('dashboard.receiveReturn', {
    path: { return_id: data.id },
    body: { lines: [{ id, quantity, condition: 'damaged' }] },
  });
  // The price of the items first reduces the amount due. A paid order gets a refund of the rest only.
  const price = Math.max(0, ledger.share(line, quantity) - fee);
  const due = ledger.amountDue;
  if (ledger.isPaid && (due === 0 || price > due)) {
    returns.push({ id: data.id, kept: fee + due, pieces: [{ line, quantity, shipped: true }] });
    if (due > 0) ledger.creditBy(due);
  } else {
    line.refunded += quantity;
    ledger.creditBy(price);
  }
}

async function refundReturn(history: History): Promise<void> {
  const { shop, ledger, returns, money, fault } = history;
  const found = returns.shift();
  if (!found) return;
  const pieces = found.pieces.map((piece) => ({
    ...piece,
    quantity: Math.min(piece.quantity, shippedLeft(piece.line)),
  }));
  const price = pieces.reduce((sum, { line, quantity }) => sum + ledger.share(line, quantity), 0);
  const amount = Math.max(0, Math.min(price - found.kept, ledger.refundable));
  const { data, refusal } = await shop.ask('dashboard.refundReturn', {
    path: { return_id: found.id },
    body: { close: false },
  });
  const first = ledger.partsOf(amount, pieces)[0]?.amount;
  if (data?.refund.amount !== (first === undefined ? undefined : money(first))) {
    fault(`expected a return's refund of ${money(amount)}, got ${data?.refund.amount} ${JSON.stringify(refusal)}`);
  }
  if (data) await note(history, amount, pieces);
}

function shippedLeft({ fulfilled, refunded, removed }: LedgerLine): number {
  return fulfilled - (refunded - removed);
}

/** Reports a new dispute or its decision, or reports a known dispute as open again, as a late webhook does. */
async function dispute({ shop, chance, ledger }: History): Promise<void> {
  if (ledger.order.method !== 'card') return;
  const known = chance.of([...ledger.disputes, ...ledger.disputes, undefined]);
  const amount = known?.amount ?? some(chance, ledger.order.total);
  const reference = known?.reference ?? randomUUID();
  const status = chance.of(['open', 'won', 'lost'] as const);
  const reported = { reference, amount, status, reason: null, respond_by: null };
  await inside(shop, (within) => takeDispute(within, ledger.order.payment_id, reported));
  ledger.report({ reference, amount, status });
}

async function cancel(history: History): Promise<void> {
  const { shop, chance, ledger } = history;
  const before = ledger.refundable;
  const isRefunded = chance.of([true, false]);
  const { data } = await shop.ask('dashboard.cancelOrder', {
    path: { order_id: ledger.order.id },
    body: { reason: 'customer', refund: isRefunded },
  });
  if (!data) return;
  ledger.isCancelled = true;
  if (isRefunded && before > 0) await note(history, before);
}

function some(chance: Chance, most: number): number {
  return 1 + Math.floor(chance.next() * most);
}

function inside<T>({ premises, tenant }: OpenShop, work: (shop: Shop) => Promise<T>): Promise<T> {
  return untilConnected(() => inShop(premises.db, tenant, SYSTEM, work));
}
