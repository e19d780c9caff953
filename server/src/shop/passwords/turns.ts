import { overloaded } from '../errors.ts';

const LONGEST_RETRY_SECONDS = 10;

interface TurnsOptions {
  atOnce: number;
  maxWaiting: number;
  refusal: string;
  /** Whether an error of one task would meet all that wait. They fail with it at once, instead of one after another. */
  failsAll?: (error: unknown) => boolean;
}

/** Limits costly work: a number of tasks run at once, some more wait in order, and the rest is refused. */
export class Turns {
  readonly #maxWaiting: number;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  readonly #refusal: string;
  readonly #failsAll: (error: unknown) => boolean;
  #free: number;

  constructor({ atOnce, maxWaiting, refusal, failsAll = () => false }: TurnsOptions) {
    this.#free = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
    this.#failsAll = failsAll;
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
    else await this.#turn();
    try {
      return await work();
    } catch (error) {
      if (this.#failsAll(error)) for (const { reject } of this.#waiting.splice(0)) reject(error);
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next) next.resolve();
      else this.#free += 1;
    }
  }

  #turn(): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    return turn.promise;
  }
}
