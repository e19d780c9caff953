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
  /** Received returns with pieces that were not refunded. */
  returns: { id: string; fee: number; pieces: Piece[] }[];
  money(minor: number): string;
  fault(text: string): void;
}

type Step = (history: History) => Promise<void>;

export const STEPS: [string, Step][] = [
  ['pay', pay],
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
  if (ledger.isPaid || ledger.isCancelled) return;
  const isTransfer = ledger.order.method === 'bank_transfer';
  const { data } = await shop.ask(isTransfer ? 'dashboard.markOrderPaid' : 'dashboard.markOrderDelivered', { path });
  if (data) ledger.pay();
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
  const code = ledger.isPaid ? 'refund_exceeds_paid' : 'invalid_transition';
  if (refusal?.error !== code) fault(`more than is left was answered ${status} ${JSON.stringify(refusal)}`);
  if (ledger.isPaid && refusal?.refundable !== money(ledger.refundable)) fault(`${refusal?.refundable} is refundable`);
}

/** Refunds pieces, in most cases the suggested amount, which must be the share of these pieces in what was charged. */
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

async function refund({ shop, ledger, money, fault }: History, amount: number, pieces: Piece[]): Promise<void> {
  const line_items = pieces.map(({ line, quantity, shipped }) => ({ line_item_id: line.id, quantity, shipped }));
  const { data, refusal } = await shop.ask('dashboard.createRefund', {
    path: { order_id: ledger.order.id },
    body: { amount: money(amount), reason: 'other', ...(line_items.length > 0 && { line_items }) },
  });
  if (!data) return fault(`a refund of ${money(amount)} was refused: ${JSON.stringify(refusal)}`);
  const { id } = data.refund;
  ledger.refund({ id, amount, status: ledger.order.method === 'card' ? 'pending' : 'succeeded' }, pieces);
}

/** Ends a pending refund, or lets the bank send one back. */
async function settleAny(history: History): Promise<void> {
  const { chance, ledger } = history;
  const open = ledger.refunds.filter(({ status }) => status !== 'failed' && ledger.order.method === 'card');
  if (open.length === 0) return;
  const refund = chance.of(open);
  await settleOne(history, refund, refund.status === 'succeeded' ? 'failed' : chance.of(['succeeded', 'failed']));
}

export async function settleOne({ shop, ledger }: History, refund: LedgerRefund, status: 'succeeded' | 'failed') {
  await inside(shop, (within) => settle(within, refund.id, { status, reference: refund.id, reason: null }));
  ledger.settle(refund, status);
}

async function refundElsewhere({ shop, chance, ledger }: History): Promise<void> {
  const most = ledger.received - ledger.live;
  if (ledger.order.method !== 'card' || most === 0) return;
  const [amount, reference] = [some(chance, Math.ceil(most / 2)), randomUUID()];
  const outcome = { status: 'succeeded', reference, reason: null } as const;
  await inside(shop, (within) => takeMadeRefund(within, ledger.order.payment_id, { amount, reason: 'other', outcome }));
  const { refunds } = await shop.must('dashboard.listRefunds', { path: { order_id: ledger.order.id } });
  const id = refunds.find(({ provider_reference }) => provider_reference === reference)?.id ?? '';
  ledger.refund({ id, amount, status: 'succeeded' });
}

/** Returns shipped pieces, which arrive at once. Before the order is paid, they lower what is due. */
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
  if (ledger.isPaid) {
    returns.push({ id: data.id, fee, pieces: [{ line, quantity, shipped: true }] });
  } else {
    ledger.credit += Math.max(0, ledger.share(line, quantity) - fee);
    line.refunded += quantity;
  }
}

async function refundReturn({ shop, ledger, returns, money, fault }: History): Promise<void> {
  const found = returns.shift();
  if (!found) return;
  const pieces = found.pieces.map((piece) => ({
    ...piece,
    quantity: Math.min(piece.quantity, shippedLeft(piece.line)),
  }));
  const price = pieces.reduce((sum, { line, quantity }) => sum + ledger.share(line, quantity), 0);
  const amount = Math.max(0, Math.min(price - found.fee, ledger.refundable));
  const { data, refusal } = await shop.ask('dashboard.refundReturn', {
    path: { return_id: found.id },
    body: { close: false },
  });
  if (data?.refund.amount !== (amount > 0 ? money(amount) : undefined)) {
    fault(`expected a return's refund of ${money(amount)}, got ${data?.refund.amount} ${JSON.stringify(refusal)}`);
  }
  if (data) {
    const status = ledger.order.method === 'card' ? 'pending' : 'succeeded';
    ledger.refund({ id: data.refund.id, amount, status }, pieces);
  }
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

async function cancel({ shop, chance, ledger }: History): Promise<void> {
  const before = ledger.refundable;
  const isRefunded = chance.of([true, false]);
  const { data } = await shop.ask('dashboard.cancelOrder', {
    path: { order_id: ledger.order.id },
    body: { reason: 'customer', refund: isRefunded },
  });
  if (!data) return;
  ledger.isCancelled = true;
  if (!isRefunded || before === 0) return;
  const { refunds } = await shop.must('dashboard.listRefunds', { path: { order_id: ledger.order.id } });
  const made = refunds.find(({ id }) => !ledger.refunds.some((known) => known.id === id));
  const status = ledger.order.method === 'card' ? 'pending' : 'succeeded';
  ledger.refund({ id: made?.id ?? '', amount: before, status });
}

function some(chance: Chance, most: number): number {
  return 1 + Math.floor(chance.next() * most);
}

function inside<T>({ premises, tenant }: OpenShop, work: (shop: Shop) => Promise<T>): Promise<T> {
  return untilConnected(() => inShop(premises.db, tenant, SYSTEM, work));
}
