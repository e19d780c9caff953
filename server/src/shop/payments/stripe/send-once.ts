import { isRepeatedFailure } from './errors.ts';

/** At most this many keys are tried in one go; the job tries again. */
const KEYS = 10;

/**
 * Sends a call that moves money under an idempotency key. For a day Stripe repeats its first answer to a key, even if that was
 * a failure of its own (https://docs.stripe.com/error-low-level): then `find` looks for what the call made nevertheless, and if
 * that is nothing, the next key is used, the same one by all who send the call at once.
 */
export async function sendOnce<Made>(
  key: string,
  send: (idempotencyKey: string) => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  for (let n = 1; n < KEYS; n += 1) {
    try {
      return await send(n === 1 ? key : `${key}:${n}`);
    } catch (error) {
      if (!isRepeatedFailure(error)) throw error;
      const made = await find();
      if (made) return made;
    }
  }
  return send(`${key}:${KEYS}`);
}
