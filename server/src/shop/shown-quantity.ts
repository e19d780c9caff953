/** The quantity that everybody except staff sees, by `settings.show_stock`. */

import type { ShowStock } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

export function shownQuantity(show: ShowStock, quantity: number, low_stock_threshold: number): number {
  switch (show) {
    case 'exact':
      return quantity;
    case 'low_only':
      return Math.max(0, Math.min(quantity, low_stock_threshold + 1));
    case 'never':
      return quantity > 0 ? 1 : 0;
  }
}

/** `shownQuantity` as an SQL expression on `variants v`. */
export function shownQuantitySql(show: ShowStock): Sql {
  switch (show) {
    case 'exact':
      return sql`v.on_hand - v.reserved`;
    case 'low_only':
      return sql`greatest(0, least(v.on_hand - v.reserved, v.low_stock_threshold + 1))`;
    case 'never':
      return sql`(v.on_hand > v.reserved)::int`;
  }
}

/** Whether a message may contain this quantity: only if the shop shows it exactly. */
export function isTold(show: ShowStock, quantity: number, low_stock_threshold: number): boolean {
  return show === 'exact' || (show === 'low_only' && quantity <= low_stock_threshold);
}
