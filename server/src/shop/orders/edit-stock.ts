import sql from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import type { Plan } from './edit-plan.ts';

/** Restocks items that an edit removes, and takes added items from the stock. */
export async function moveStock(shop: Shop, order_id: string, { changed, added }: Plan): Promise<void> {
  const moves = [
    ...changed.map(({ line, quantity }) => ({ ...line, more: quantity - line.quantity })),
    ...added.map(({ from, quantity: more }) =>
      'variant' in from
        ? { variant_id: from.variant.id, stock_taken: from.variant.tracked, more }
        : { variant_id: from.line.variant_id, stock_taken: from.line.tracked === true, more },
    ),
  ].flatMap(({ variant_id, ...move }) => (variant_id === null ? [] : [{ variant_id, ...move }]));
  const back = moves
    .filter(({ more, stock_taken }) => more < 0 && stock_taken)
    .map(({ variant_id, more }) => ({ variant_id, quantity: -more }));
  const taken = moves.filter(({ more }) => more > 0);
  await stock.lockVariants(
    shop,
    moves.map(({ variant_id }) => variant_id),
  );
  await stock.restockPieces(
    shop,
    sql`select variant_id, quantity from jsonb_to_recordset(${JSON.stringify(back)}::jsonb) as b (variant_id uuid, quantity int)`,
    { type: 'order', id: order_id },
  );
  const sold = await stock.sellMore(
    shop,
    order_id,
    taken.map(({ variant_id, more }) => ({ variant_id, quantity: more })),
  );
  if (taken.every(({ variant_id, stock_taken }) => stock_taken === sold.has(variant_id))) return;
  throw new ShopError('conflict', 'The stock settings changed. Retry the request.');
}
