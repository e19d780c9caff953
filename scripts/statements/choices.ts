/**
 * Chooses the results of conditions that depend on the request. `eachChoice` repeats a run for each combination, up to
 * a limit: first with option 0 everywhere, then with one condition changed, then two.
 */
export class Choices {
  readonly #set: ReadonlyMap<string, number>;
  readonly #assumed = new Map<string, number>();
  readonly trail = new Map<string, number>();

  constructor(set: ReadonlyMap<string, number>) {
    this.#set = set;
  }

  /** Sets the option of a key that was not chosen yet. No other options are tried. */
  assume(key: string, option: number): void {
    if (this.trail.has(key)) return;
    this.trail.set(key, 1);
    this.#assumed.set(key, option);
  }

  /** Returns an option. Calls with the same key return the same option. */
  choose(key: string, options: number): number {
    if (!this.trail.has(key)) this.trail.set(key, options);
    return this.#assumed.get(key) ?? this.#set.get(key) ?? 0;
  }
}

/** Thrown for a combination of choices that cannot occur, for example because it ends in an error. */
export class Impossible extends Error {}

export function eachChoice<T>(limit: number, run: (choices: Choices) => T): T[] {
  const results: T[] = [];
  const waiting: Map<string, number>[] = [new Map()];
  for (let runs = 0; runs < limit; runs += 1) {
    const set = waiting.shift();
    if (!set) break;
    const choices = new Choices(set);
    try {
      results.push(run(choices));
    } catch (error) {
      if (!(error instanceof Impossible)) throw error;
    }
    // Only keys after the last changed one are varied. Combinations with earlier keys are already in the queue.
    const keys = [...choices.trail.keys()];
    const last = Math.max(-1, ...[...set.keys()].map((key) => keys.indexOf(key)));
    for (const key of keys.slice(last + 1)) {
      for (let option = 1; option < (choices.trail.get(key) ?? 0); option += 1) {
        waiting.push(new Map([...set, [key, option]]));
      }
    }
  }
  return results;
}
