import { isRepeatedFailure } from './errors.ts';

/** Maximum number of keys per call. The job retries later. */
const KEYS = 10;

/**
 * Sends a call that moves money once. For a day, Stripe repeats its first response to an idempotency key, even a server
 * error (https://docs.stripe.com/error-low-level). After such an error, `find` looks for the object. If there is none,
 * the call is sent with the next key, which is the same for all concurrent callers.
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
