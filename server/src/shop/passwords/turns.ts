import { overloaded } from '../errors.ts';

const LONGEST_RETRY_SECONDS = 10;

/** A door for costly deeds: so many are done at once, a few more wait for their turn in order, and the rest are refused. */
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

  /** Throws `unavailable` when one more could not even wait. */
  refuseIfFull(): void {
    if (this.#free === 0 && this.#waiting.length >= this.#maxWaiting) {
      throw overloaded(this.#refusal, LONGEST_RETRY_SECONDS);
    }
  }

  /** Does the deed when its turn comes. Throws `unavailable` at once when too many wait already. */
  async take<T>(deed: () => Promise<T>): Promise<T> {
    this.refuseIfFull();
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      return await deed();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
