import { invalid, Refusal } from './objects.ts';

export interface Answer {
  status: number;
  body: object;
  replayed?: true;
}

interface Kept {
  call: string;
  answer: Answer | undefined;
}

/**
 * Idempotency keys as in Stripe. The first response to a key is stored until `forget` is called, unless the request
 * was rejected before it began. A different request with the same key is rejected.
 */
export class Keys {
  readonly #kept = new Map<string, Kept>();

  async once(key: string | undefined, call: string, work: () => Promise<Answer>): Promise<Answer> {
    if (key === undefined) return work();
    const known = this.#kept.get(key);
    if (known && known.call !== call) {
      throw new Refusal(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      });
    }
    if (known && !known.answer) throw inUse();
    if (known?.answer) return { ...known.answer, replayed: true };
    const kept: Kept = { call, answer: undefined };
    this.#kept.set(key, kept);
    try {
      kept.answer = await work();
      return kept.answer;
    } catch (error) {
      // Like Stripe, stores the response about a declined card, but not about an invalid request.
      if (error instanceof Refusal && error.status === 402) kept.answer = { status: 402, body: error.body };
      else this.#kept.delete(key);
      throw error;
    }
  }

  /** Forgets all keys, as Stripe does after a day. */
  forget(): void {
    this.#kept.clear();
  }
}

function inUse(): Refusal {
  const { body } = invalid('There is another request in progress with this key.', 'idempotency_key_in_use');
  return new Refusal(409, body.error as { type: string; message: string });
}
