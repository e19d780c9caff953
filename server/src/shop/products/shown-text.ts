import type { ShowStock } from '@commerce-backend/spec';
import { shownQuantity } from '../shown-quantity.ts';

/**
 * The JSON text of an answer with what depends on stock left open, so that a cached answer can be completed with the current
 * stock (http/pipeline/cache.ts).
 */
export class ShownText {
  /** The text around what is left open; one more than `slots`, once all is written. */
  readonly texts: string[] = [];
  /** What is to be filled in: TOTAL, or a letter for what is shown of the stock, the threshold, and `u` if it is not tracked. */
  readonly slots: string[] = [];
  /** How much of each variant there was when it was read. */
  readonly stock: string[] = [];
  #last = '';
  #isOpened = false;

  /** A comma at the beginning of what follows an opened object is left out. */
  add(text: string): void {
    this.#last += this.#isOpened ? text.slice(1) : text;
    this.#isOpened = false;
  }

  /** Opens an object. */
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

/** The sum of the quantities since the last such slot. */
export const TOTAL = 'total';

/** What each slot contains, given a stock of as many variants. */
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

/** How many variants a stock covers. */
export function sizeOf(stock: string): number {
  return stock === '{}' ? 0 : stock.split(',').length;
}
