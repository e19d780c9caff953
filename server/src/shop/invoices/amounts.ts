/**
 * Computes the amounts of an order by tax rate, and divides the amounts of a document among its lines. In minor units.
 */

import { allocate } from '../totals.ts';

/** A line of an order, or its shipping cost at one rate. */
export interface Part {
  /** The id of the line; null for shipping. */
  line_item_id: string | null;
  rate: string;
  quantity: number;
  /** The number of refunded or returned pieces. For shipping, a piece is one minor unit. */
  refunded: number;
  /** The charged amount of all pieces, with tax. */
  gross: number;
  tax: number;
}

export interface Amounts {
  gross: number;
  tax: number;
}

/** By tax rate. */
export type ByRate = Map<string, Amounts>;

const NOTHING: Amounts = { gross: 0, tax: 0 };

/**
 * Returns the price of the pieces from number `from` to number `to`. All pieces together have exactly the part's
 * amounts.
 */
export function priceOfPieces({ gross, tax, quantity }: Part, from: number, to: number): Amounts {
  const share = (whole: number) => Math.round((whole * to) / quantity) - Math.round((whole * from) / quantity);
  return { gross: share(gross), tax: share(tax) };
}

/**
 * Divides the amount that an order charges now among the tax rates. `before` contains the amounts that the earlier
 * documents charge at each rate. No rate gets more than that, so that a credit note never raises the amount of a rate.
 * A difference between the price of the remaining pieces and the charged amount, such as a goodwill refund or a kept
 * fee, is divided in proportion.
 */
export function chargedByRate(parts: Part[], before: ByRate, charged: number): ByRate {
  const rates = [...before.keys()];
  const limits = rates.map((rate) => before.get(rate)?.gross ?? 0);
  const remaining = rates.map((rate, i) => Math.min(limits[i] ?? 0, remainingAt(parts, rate)));
  const difference = charged - sum(remaining);
  const room = remaining.map((amount, i) => (difference > 0 ? (limits[i] ?? 0) - amount : amount));
  const shares = allocate(Math.min(Math.abs(difference), sum(room)), room);
  return new Map(
    rates.map((rate, i) => {
      const gross = (remaining[i] ?? 0) + Math.sign(difference) * (shares[i] ?? 0);
      return [rate, { gross, tax: taxAt(parts, rate, gross) }];
    }),
  );
}

/** Returns the original amounts of the order by tax rate. */
export function originalByRate(parts: Part[]): ByRate {
  const groups = Map.groupBy(parts, ({ rate }) => rate);
  return new Map(
    [...groups].map(([rate, group]) => [
      rate,
      { gross: sum(group.map(({ gross }) => gross)), tax: sum(group.map(({ tax }) => tax)) },
    ]),
  );
}

function remainingAt(parts: Part[], rate: string): number {
  return sum(
    parts.filter((part) => part.rate === rate).map((part) => priceOfPieces(part, part.refunded, part.quantity).gross),
  );
}

/** Returns the tax in an amount at a rate. The whole original amount has exactly the order's tax. */
function taxAt(parts: Part[], rate: string, gross: number): number {
  const whole = originalByRate(parts).get(rate) ?? NOTHING;
  if (whole.gross === 0) return 0;
  const [tax, of, all] = [BigInt(whole.tax), BigInt(gross), BigInt(whole.gross)];
  return Number((2n * tax * of + all) / (2n * all));
}

/** Returns the reduction of the amounts by rate. Rates without a difference are left out. */
export function differenceOf(before: ByRate, after: ByRate): ByRate {
  const entries = [...before].map(([rate, { gross, tax }]): [string, Amounts] => {
    const now = after.get(rate) ?? NOTHING;
    return [rate, { gross: gross - now.gross, tax: tax - now.tax }];
  });
  return new Map(entries.filter(([, { gross, tax }]) => gross !== 0 || tax !== 0));
}

export interface Share extends Amounts {
  /** The part to which the pieces belong; null for the rest of a rate. A negative rest lowers the document's total. */
  part: Part | null;
  rate: string;
  quantity: number;
}

/**
 * Divides the amounts of a document among its pieces. If the pieces of a rate cost more or less than its amount, the
 * rest gets its own line. All lines add up to exactly the given amounts.
 */
export function linesOf(target: ByRate, pieces: Share[]): Share[] {
  return [...target].flatMap(([rate, { gross, tax }]) => {
    const lines = pieces.filter((piece) => piece.rate === rate && piece.gross !== 0).map((piece) => ({ ...piece }));
    const rest = gross - sum(lines.map((line) => line.gross));
    const restOfTax = tax - sum(lines.map((line) => line.tax));
    // The tax of the rest has the sign of the rest and does not exceed it. The largest line gets the remaining tax.
    const ofRest = rest > 0 ? clamp(restOfTax, 0, rest) : clamp(restOfTax, rest, 0);
    const largest = lines.toSorted((a, b) => b.gross - a.gross)[0];
    if (largest) largest.tax += restOfTax - ofRest;
    return rest === 0 ? lines : [...lines, { part: null, rate, quantity: 1, gross: rest, tax: largest ? ofRest : tax }];
  });
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export function totalOf(amounts: Iterable<Amounts>): Amounts {
  const all = [...amounts];
  return { gross: sum(all.map(({ gross }) => gross)), tax: sum(all.map(({ tax }) => tax)) };
}

function sum(amounts: number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
