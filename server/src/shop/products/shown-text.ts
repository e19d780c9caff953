import type { ShowStock } from '@commerce-backend/spec';
import { shownQuantity } from '../shown-quantity.ts';

/**
 * JSON text with slots for stock, so that a cached response can be completed with the current stock
 * (http/pipeline/cache.ts).
 */
export class ShownText {
  /** The texts around the slots. A complete ShownText has one more text than slots. */
  readonly texts: string[] = [];
  /**
   * The content of each slot: TOTAL, or a letter for the displayed stock, then the threshold, then `u` if the stock is
   * not tracked.
   */
  readonly slots: string[] = [];
  /** The stock of each variant when it was read. */
  readonly stock: string[] = [];
  #last = '';
  #isOpened = false;

  /** Adds a text, without the comma before the first field of an object. */
  add(text: string): void {
    this.#last += this.#isOpened ? text.slice(1) : text;
    this.#isOpened = false;
  }

  open(): void {
    this.#last += '{';
    this.#isOpened = true;
  }

  leaveOpen(slot: string): void {
    this.texts.push(this.#last);
    this.slots.push(slot);
    this.#last = '';
  }

  end(): void {
    this.texts.push(this.#last);
  }
}

/** The slot for the sum of the quantities since the last such slot. */
export const TOTAL = 'total';

/** Returns the content of each slot for the current stock of these variants. */
export function fill(slots: string[], stock: string): string[] {
  const amounts = stock.slice(1, -1).split(',');
  let at = 0;
  let total = 0;
  return slots.map((slot) => {
    if (slot === TOTAL) {
      const sum = String(total);
      total = 0;
      return sum;
    }
    const shown = shownStock(Number(amounts[at]), slot);
    at += 1;
    total += shown.quantity;
    return shown.text;
  });
}

function shownStock(amount: number, slot: string): { quantity: number; text: string } {
  const show = SHOW_OF[slot[0] ?? ''] ?? 'exact';
  const isTracked = !slot.endsWith('u');
  const threshold = Number.parseInt(slot.slice(1), 10);
  const quantity = shownQuantity(show, amount, threshold);
  const isLow = isTracked && show !== 'never' && amount >= 1 && amount <= threshold;
  const isOut = isTracked && amount <= 0;
  return { quantity, text: `"inventory_quantity":${quantity},"is_low_stock":${isLow},"is_out_of_stock":${isOut}` };
}

const SHOW_OF: Record<string, ShowStock> = { e: 'exact', l: 'low_only', n: 'never' };

export function letterOf(show: ShowStock): string {
  return show.slice(0, 1);
}

/** The number of variants in a PostgreSQL array of stock. */
export function sizeOf(stock: string): number {
  return stock === '{}' ? 0 : stock.split(',').length;
}
