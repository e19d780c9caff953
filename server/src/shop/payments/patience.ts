/**
 * How long to wait for a provider, in milliseconds. A call may consist of several requests, and a provider may answer slowly,
 * so the timeouts of its client do not bound it. What was asked for may happen all the same: it is asked about again.
 */
export interface Patience {
  /** For a request, which has 30 s as a whole: the rest is for recording the outcome of the call. */
  request: number;
  /** For a shopper who comes back: the page says that the payment is not confirmed yet, and how to look again. */
  returning: number;
  job: number;
}

export const PATIENCE: Patience = { request: 20_000, returning: 8_000, job: 20_000 };

/** The result of the work; throws when it takes longer. */
export async function inTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The provider has not answered within ${ms} ms.`)), ms);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
