import type { Stripe } from 'stripe';
import { Counter, processRegistry } from '../../../metrics/kinds.ts';

const calls = new Counter({
  name: 'payment_provider_calls_total',
  help: 'Calls to payment providers: answered, refused (4xx) or failed (5xx, no answer)',
  labelNames: ['provider', 'result'],
  registers: [processRegistry],
});
for (const result of ['answered', 'refused', 'failed']) calls.inc({ provider: 'stripe', result }, 0);

type HttpClient = Stripe.HttpClient;

/** Counts the calls of an HTTP client of the Stripe package by their result. */
export function countCalls(client: HttpClient): HttpClient {
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...args) => {
    try {
      const response = await send(...args);
      calls.inc({ provider: 'stripe', result: resultOf(response.getStatusCode()) });
      return response;
    } catch (error) {
      calls.inc({ provider: 'stripe', result: 'failed' });
      throw error;
    }
  };
  return client;
}

function resultOf(status: number): string {
  if (status < 400) return 'answered';
  // A 429 does not mean that Stripe rejected the call itself.
  return status < 500 && status !== 429 ? 'refused' : 'failed';
}
