/** Computes what an order charges at each tax rate, and how a document divides it among its lines. In minor units. */

import { allocate } from '../totals.ts';

/** A line of an order, or its shipping cost at one rate. */
export interface Part {
  /** The id of the line; null for shipping. */
  line_item_id: string | null;
  rate: string;
  quantity: number;
  /** Pieces that are refunded or came back. Shipping is one piece. */
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

/** What the pieces from number `from` to number `to` of a part cost. All pieces cost exactly the part's amounts. */
export function priceOfPieces({ gross, tax, quantity }: Part, from: number, to: number): Amounts {
  const share = (whole: number) => Math.round((whole * to) / quantity) - Math.round((whole * from) / quantity);
  return { gross: share(gross), tax: share(tax) };
}

/**
 * Divides the amount that an order charges now among the tax rates. `before` has what it charged at each rate when the
 * previous document was issued; no rate charges more than that, so that each credit note lowers all rates or none. A
 * difference between the price of the remaining pieces and the charged amount, such as a goodwill refund or a kept fee,
 * is divided in proportion.
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

/** What the order charged originally. */
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

/** The tax in a part of what is charged at a rate. The whole amount has exactly the order's tax. */
function taxAt(parts: Part[], rate: string, gross: number): number {
  const whole = originalByRate(parts).get(rate) ?? NOTHING;
  if (whole.gross === 0) return 0;
  const [tax, of, all] = [BigInt(whole.tax), BigInt(gross), BigInt(whole.gross)];
  return Number((2n * tax * of + all) / (2n * all));
}

/** The amounts of each document, by rate: what its order charges less. Rates without a difference are left out. */
export function differenceOf(before: ByRate, after: ByRate): ByRate {
  const entries = [...before].map(([rate, { gross, tax }]): [string, Amounts] => {
    const now = after.get(rate) ?? NOTHING;
    return [rate, { gross: gross - now.gross, tax: tax - now.tax }];
  });
  return new Map(entries.filter(([, { gross, tax }]) => gross !== 0 || tax !== 0));
}

export interface Share extends Amounts {
  /** The part that the pieces belong to; null for the rest of a rate, a negative one if it lowers the document's total. */
  part: Part | null;
  rate: string;
  quantity: number;
}

/**
 * Divides the amounts of a document among the pieces that it is about. A rest of a rate gets its own line. The lines add
 * up to the given amounts exactly.
 */
export function linesOf(target: ByRate, pieces: Share[]): Share[] {
  return [...target].flatMap(([rate, { gross, tax }]) => {
    const lines = pieces.filter((piece) => piece.rate === rate && piece.gross !== 0).map((piece) => ({ ...piece }));
    const rest = gross - sum(lines.map((line) => line.gross));
    const restOfTax = tax - sum(lines.map((line) => line.tax));
    // The tax of the rest has its sign, and is not more than it. What rounding leaves goes to the largest line.
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
