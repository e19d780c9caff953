/** The steps of D2 that ship and refund orders, and the check of the resulting units. */

import type { Order } from '../testing/products-and-checkouts.ts';
import type { Chance } from '../testing/random.ts';
import { type History, record } from './stock-history.ts';
import { type PieceRefund, refund, type StockState, ship } from './stock-model.ts';

/**
 * Makes three staff actions, in parallel or one after another. Each action ships all or part of the order, or refunds
 * one unit.
 */
export async function handleOrder(history: History, chance: Chance, own: number, order: Order): Promise<void> {
  await history.shop.must('dashboard.markOrderPaid', { path: { order_id: order.id } });
  const actions = Array.from({ length: 3 }, () => {
    const variant = chance.of([0, 1]);
    if (chance.next() < 0.5) return () => shipOrder(history, own, order, chance.of([undefined, variant]));
    const which = chance.of([{}, {}, { shipped: true }, { shipped: false }]);
    const piece = { variant, restock: chance.next() < 0.6, ...which };
    return () => refundPiece(history, own, order, piece);
  });
  if (chance.next() < 0.5) await Promise.all(actions.map((action) => action()));
  else for (const action of actions) await action();
}

function lineOf({ variants }: History, { line_items }: Order, variant: number): string {
  // If the order has no line of the variant, uses an id that no line has.
  return line_items.find(({ variant_id }) => variant_id === variants[variant])?.id ?? NO_LINE;
}

const NO_LINE = '0192f3a2-1111-7000-8000-00000000dead';

/** Ships one unit of a variant, or all units that are left. */
async function shipOrder(history: History, own: number, order: Order, variant: number | undefined): Promise<void> {
  const what = variant === undefined ? 'the rest' : `one of ${variant}`;
  await record(history, `${own} ships ${what}`, [], async (step) => {
    const items = variant === undefined ? undefined : [{ line_item_id: lineOf(history, order, variant), quantity: 1 }];
    const body = items ? { items } : {};
    const { data } = await history.shop.ask('dashboard.createFulfillment', { path: { order_id: order.id }, body });
    const sent = history.variants.map((_, at) => {
      const line = lineOf(history, order, at);
      return data?.fulfillment.items.find(({ line_item_id }) => line_item_id === line)?.quantity ?? 0;
    });
    step.what += data ? `: ${sent}` : ': refused';
    return (state) => {
      const pieces = variant === undefined ? undefined : sent.map((_, at) => (at === variant ? 1 : 0));
      const after = ship(state, own, pieces);
      if (!after || !data) return after || data ? [] : [state];
      const left = after.checkouts[own]?.order?.to_ship ?? [];
      const before = state.checkouts[own]?.order?.to_ship ?? [];
      return sent.every((quantity, at) => quantity === (before[at] ?? 0) - (left[at] ?? 0)) ? [after] : [];
    };
  });
}

async function refundPiece(history: History, own: number, order: Order, piece: PieceRefund): Promise<void> {
  await record(history, `${own} refunds ${JSON.stringify(piece)}`, [], async (step) => {
    const { variant, ...how } = piece;
    const line_items = [{ line_item_id: lineOf(history, order, variant), quantity: 1, ...how }];
    const path = { order_id: order.id };
    const body = { amount: '1.00', reason: 'other', line_items } as const;
    const { data } = await history.shop.ask('dashboard.createRefund', { path, body });
    step.what += data ? '' : ': refused';
    return (state) => {
      const after = refund(state, own, piece);
      return after && data ? [after] : after || data ? [] : [state];
    };
  });
}

const KINDS = ['to_ship', 'shipped', 'refunded', 'returned'] as const;
export type Pieces = Record<(typeof KINDS)[number], number>;

/** Reads from the database how many units of each variant the orders have: to ship, shipped, refunded and returned. */
export async function piecesOf({ shop, variants, carts }: History): Promise<Pieces[]> {
  const { rows } = await shop.premises.owner.query<Pieces>(
    `select coalesce(sum(l.quantity - l.fulfilled - l.removed), 0)::int as to_ship,
        coalesce(sum(l.fulfilled), 0)::int as shipped, coalesce(sum(l.refunded_quantity - l.removed), 0)::int as refunded,
        coalesce(sum(l.returned), 0)::int as returned
      from unnest($2::uuid[]) with ordinality as v (id, position) left join (
        commerce.order_lines l join commerce.orders o on o.site_id = l.site_id and o.id = l.order_id and o.status <> 'cancelled'
        join commerce.checkouts k on k.site_id = o.site_id and k.id = o.checkout_id and k.cart_id = any($3::uuid[])
      ) on l.site_id = $1 and l.variant_id = v.id group by v.position order by v.position`,
    [shop.site_id, variants, carts],
  );
  return rows;
}

/**
 * Whether the orders in a state have these units, and whether the units in stock, to ship, shipped and lost add up to
 * the received units.
 */
export function hasPieces(end: StockState, pieces: Pieces[], received: number[]): boolean {
  const open = end.checkouts.filter(({ status }) => status === 'completed');
  const sum = (kind: keyof Pieces, at: number) => open.reduce((all, { order }) => all + (order?.[kind][at] ?? 0), 0);
  return pieces.every((found, at) => {
    const out = sum('shipped', at) - sum('returned', at) + sum('to_ship', at) + (end.lost[at] ?? 0);
    return KINDS.every((kind) => found[kind] === sum(kind, at)) && (end.on_hand[at] ?? 0) + out === received[at];
  });
}
