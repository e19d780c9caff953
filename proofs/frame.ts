/**
 * What every proof is: a promise, an attack on it that is driven by the contract or by faults, and figures that say how hard
 * it was attacked. The short form runs by `npm run prove -- --short`, the full form by `npm run prove`.
 */
export interface Proof {
  /** Stable, as in the table of README.md: `A1`, `H6` … */
  id: string;
  /** One sentence that is true when `run` finds no violations. */
  promise: string;
  run(trial: Trial): Promise<Figures>;
}

/** What a proof is given to work with. It arranges all else itself, and leaves nothing running. */
export interface Trial {
  size: Size;
  /** The same seed makes the same attacks. */
  seed: number;
  /** A migrated database, by a login that is a superuser. Shared with others: make tenants of your own. */
  databaseUrl: string;
  /** Says in a few words how far the proof is. */
  progress(text: string): void;
}

/** `short`: seconds, in every test run. `full`: minutes, before a release. `tenth`: a tenth of the full counts, after a redesign. */
export type Size = 'short' | 'tenth' | 'full';

export interface Figures {
  /** How often the promise was attacked, and what was counted: `1,204 requests`. */
  tried: number;
  unit: string;
  /** Each broken promise, with all that is needed to see it again. Empty is what we want. */
  violations: string[];
  /** Other figures worth a place in the table, such as `slowest 0.4 ms`. */
  note?: string;
  /** Why nothing was attacked: a program is missing here. In CI that is a violation. */
  skipped?: string;
}

/** Picks by size: `pick(size, 50, 1_000)`. Of numbers a tenth is taken, but no less than of the short form. */
export function pick<T>(size: Size, short: T, full: T): T {
  if (size === 'tenth' && typeof short === 'number' && typeof full === 'number') {
    return Math.max(short, Math.ceil(full / 10)) as T;
  }
  return size === 'short' ? short : full;
}

/** Violations as they are found: all are counted, the first of each kind are kept word for word. */
export class Violations {
  readonly #found: string[] = [];
  readonly #limit: number;

  constructor(limit = 200) {
    this.#limit = limit;
  }

  add(text: string): void {
    if (this.#found.length < this.#limit) this.#found.push(text.slice(0, 2_000));
  }

  get list(): string[] {
    return this.#found;
  }
}

/** A proof that failed after it had found violations. */
export class FailedProof extends Error {
  readonly found: string[];

  constructor(found: string[], cause: Error) {
    super(`${found.join('\n')}\n${cause.message}`, { cause });
    this.found = found;
  }
}

/** Runs the work of a proof. If it fails after violations, the error keeps them: the first is often the reason. */
export async function keepingViolations<T>(of: { violations: Violations }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { list } = of.violations;
    throw list.length > 0 ? new FailedProof(list, error as Error) : error;
  }
}
