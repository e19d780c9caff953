import { overloaded } from '../errors.ts';

const LONGEST_RETRY_SECONDS = 10;

interface TurnsOptions {
  atOnce: number;
  maxWaiting: number;
  refusal: string;
  /** Whether an error affects all waiting tasks. They then fail immediately, not one after another. */
  failsAll?: (error: unknown) => boolean;
}

/** Limits expensive work: some tasks run concurrently, some wait, and the rest are rejected. */
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

  refuseIfFull(): void {
    if (this.#free === 0 && this.#waiting.length >= this.#maxWaiting) {
      throw overloaded(this.#refusal, LONGEST_RETRY_SECONDS);
    }
  }

  /** Runs the work, after waiting if necessary. Throws `unavailable` immediately if the queue is full. */
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
