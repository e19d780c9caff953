/**
 * Deadlines for calls to a payment provider, in milliseconds. The timeouts of Stripe's client are not enough, because a
 * call can consist of several requests. A call may still take effect after its deadline, so the provider is queried
 * later.
 */
export interface ProviderDeadlines {
  /** For an API request. The request has 30 s in total; the rest is for storing the result. */
  request: number;
  /**
   * For a shopper who returns from the provider. After this time, the page shows that the payment is not confirmed yet.
   */
  returning: number;
  job: number;
}

export const PROVIDER_DEADLINES: ProviderDeadlines = { request: 20_000, returning: 8_000, job: 20_000 };

/** Returns the result of `work`. Throws if it takes longer than `ms`. */
export async function inTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The provider has not answered within ${ms} ms.`)), ms);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
