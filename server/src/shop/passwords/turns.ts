import { overloaded } from '../errors.ts';

const LONGEST_RETRY_SECONDS = 10;

/** Limits costly work: a number of tasks run at once, some more wait in order, and the rest is refused. */
export class Turns {
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  readonly #refusal: string;
  #free: number;

  constructor({ atOnce, maxWaiting, refusal }: { atOnce: number; maxWaiting: number; refusal: string }) {
    this.#free = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
  }

  /** Throws `unavailable` when there is no room even to wait. */
  refuseIfFull(): void {
    if (this.#free === 0 && this.#waiting.length >= this.#maxWaiting) {
      throw overloaded(this.#refusal, LONGEST_RETRY_SECONDS);
    }
  }

  /** Does the work when its turn comes. Throws `unavailable` at once when too many wait already. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    this.refuseIfFull();
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
