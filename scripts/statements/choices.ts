/**
 * Runs something that depends on conditions which only a request decides, once for each combination of their outcomes: first with
 * the first option of each, then with one changed, then with two, up to a limit.
 */
export class Choices {
  readonly #set: ReadonlyMap<string, number>;
  readonly #assumed = new Map<string, number>();
  readonly trail = new Map<string, number>();

  constructor(set: ReadonlyMap<string, number>) {
    this.#set = set;
  }

  /** Settles a choice that has not been made yet, without alternatives. */
  assume(key: string, option: number): void {
    if (this.trail.has(key)) return;
    this.trail.set(key, 1);
    this.#assumed.set(key, option);
  }

  /** An option of so many, the same each time for the same key. */
  choose(key: string, options: number): number {
    if (!this.trail.has(key)) this.trail.set(key, options);
    return this.#assumed.get(key) ?? this.#set.get(key) ?? 0;
  }
}

/** A combination of choices that cannot occur, as when it ends in an error. */
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
    // Those before the last that is set were changed by combinations that wait already.
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
