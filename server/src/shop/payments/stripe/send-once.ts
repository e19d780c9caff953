import { isRepeatedFailure } from './errors.ts';

/** Maximum number of idempotency keys per attempt; the job retries. */
const KEYS = 10;

/**
 * Sends a call that moves money under an idempotency key. For a day Stripe repeats its first response to a key, even
 * its own failure (https://docs.stripe.com/error-low-level). In that case `find` looks for an object that the call
 * created nevertheless. If there is none, the next key is used, which is the same for all concurrent callers.
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
