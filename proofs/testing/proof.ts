/**
 * A proof consists of a promise, an attack on it, and figures about the attacks. Attacks are generated from the
 * contract, or inject faults. `npm run prove -- --short` runs the short form, `npm run prove` the full form.
 */
export interface Proof {
  /** The id in the table of README.md, which never changes: `A1`, `H6` … */
  id: string;
  /** A sentence that is true if `run` finds no violations. */
  promise: string;
  run(trial: Trial): Promise<Figures>;
}

/**
 * The input that a proof gets from the runner. The proof sets up everything else itself, and must clean up after
 * itself.
 */
export interface Trial {
  size: Size;
  /** The same seed produces the same attacks. */
  seed: number;
  /** The URL of a migrated database, with a superuser login. Other proofs use it too, so each must create its own tenants. */
  databaseUrl: string;
  /** Reports progress in a few words. */
  progress(text: string): void;
}

/**
 * `short`: seconds, for every change. `full`: minutes or more, before a release. `tenth`: a tenth of the full counts,
 * after larger changes.
 */
export type Size = 'short' | 'tenth' | 'full';

export interface Figures {
  /** The number of attacks on the promise, in this unit: `1,204 requests`. */
  tried: number;
  unit: string;
  /** Broken promises, each with everything needed to reproduce it. Should be empty. */
  violations: string[];
  /** Other figures for the table, such as `slowest 0.4 ms`. */
  note?: string;
  /** The reason why the proof did not run, such as a missing program. In CI this counts as a violation. */
  skipped?: string;
}

/** Picks by size: `pick(size, 50, 1_000)`. For numbers, `tenth` is a tenth of the full value, but at least the short one. */
export function pick<T>(size: Size, short: T, full: T): T {
  if (size === 'tenth' && typeof short === 'number' && typeof full === 'number') {
    return Math.max(short, Math.ceil(full / 10)) as T;
  }
  return size === 'short' ? short : full;
}

/** Collects violations: keeps the first 200 by default, each with its first 2,000 characters. */
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

/** A proof that failed after it had already found violations. */
export class FailedProof extends Error {
  readonly found: string[];

  constructor(found: string[], cause: Error) {
    super(`${found.join('\n')}\n${cause.message}`, { cause });
    this.found = found;
  }
}

/**
 * Runs a proof's work. If the work throws, the error keeps the violations found so far. The first of them is often the
 * cause.
 */
export async function keepingViolations<T>(of: { violations: Violations }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { list } = of.violations;
    throw list.length > 0 ? new FailedProof(list, error as Error) : error;
  }
}
