import type { OrderImport, ValidationErrorItem } from '@commerce-backend/spec';
import { ValidationError } from '../errors.ts';
import { canonicalAmount, minorUnits } from '../money.ts';

export type Place = (string | number)[];

/** Collects the validation errors of an imported row. */
export class Mistakes {
  readonly #loc: Place;
  readonly #found: ValidationErrorItem[] = [];

  constructor(loc: Place) {
    this.#loc = loc;
  }

  add(at: Place, type: string, msg: string): void {
    this.#found.push({ loc: [...this.#loc, ...at], msg, type });
  }

  addAll(found: [Place, string][]): void {
    for (const [at, msg] of found) this.add(at, 'value_error', msg);
  }

  /** Converts an amount to minor units. Records a mistake and returns 0 if it has more decimals than the currency. */
  minor(amount: string | undefined, digits: number, at: Place): number {
    try {
      return amount === undefined ? 0 : minorUnits(canonicalAmount(amount, digits, [...this.#loc, ...at]), digits);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      this.#found.push(...error.detail);
      return 0;
    }
  }

  throw(): void {
    if (this.#found.length > 0) throw new ValidationError(this.#found);
  }
}

const TIMES = ['created_at', 'paid_at', 'shipped_at', 'delivered_at', 'cancelled_at'] as const;
const PART_TIMES = { fulfillments: ['created_at', 'delivered_at'], refunds: ['created_at'] } as const;

/** Returns the times of an order, its fulfilments and its refunds that lie in the future, with their paths. */
export function timesToCome(input: OrderImport): [Place, string][] {
  const parts = Object.entries(PART_TIMES).flatMap(([list, fields]) =>
    (input[list as keyof typeof PART_TIMES] ?? []).flatMap((part: Times, i) =>
      fields.map((field): [Place, Time] => [[list, i, field], part[field]]),
    ),
  );
  const times = [...TIMES.map((field): [Place, Time] => [[field], input[field]]), ...parts];
  const later = times.filter(([, time]) => time && Date.parse(time) > Date.now());
  return later.map(([at]) => [at, 'This time is in the future.']);
}

type Time = string | null | undefined;
type Times = Partial<Record<'created_at' | 'delivered_at', Time>>;
