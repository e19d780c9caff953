/**
 * Deadlines for provider calls, in milliseconds. A call may consist of several slow requests, so the client's timeouts
 * do not limit it. A call may still take effect after its deadline, so the provider is queried about it later.
 */
export interface ProviderDeadlines {
  /** For a request, which has 30 s in total; the rest is for recording the result. */
  request: number;
  /** For a returning shopper. The page then shows that the payment is not confirmed yet, and how to check again. */
  returning: number;
  job: number;
}

export const PROVIDER_DEADLINES: ProviderDeadlines = { request: 20_000, returning: 8_000, job: 20_000 };

/** Returns the result of the work. Throws if the deadline passes first. */
export async function inTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The provider has not answered within ${ms} ms.`)), ms);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
