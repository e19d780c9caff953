import type { components } from '@commerce-backend/spec';
import { type ClientOptions, createClient } from './client.ts';
import type { Schemas } from './contract.ts';
import { given } from './credentials.ts';
import { CommerceError, ConnectionError, unwrap } from './errors.ts';

export type ConsentOptions = ClientOptions & {
  /** The id of the shop. */
  siteId: string;
  /** The agent's current token, which the new one replaces. */
  agentToken?: string;
};

/** A request that awaits the customer's decision. Show `verification_uri_complete`, and wait for the token. */
export interface PendingConsent extends Readonly<Schemas['DeviceAuthorization']> {
  /**
   * Polls by RFC 8628 until there is a token. Throws a CommerceError if the request is denied or expires
   * (`access_denied`, `expired_token`, …). After `agent_cap_exceeded` you can call it again once the customer has
   * revoked another agent. If the response to a poll is lost, the next poll returns the token again.
   */
  token(options?: { signal?: AbortSignal }): Promise<Schemas['IssuedAgentToken']>;
}

const SLOWER_BY_SECONDS = 5;

/**
 * Asks for a customer's consent with the device flow (RFC 8628): scopes, a budget in the currency's minor unit, in
 * total or for each week or month, a maximum for one order, categories, an expiry date. Throws a CommerceError such as
 * `agents_not_allowed` or `validation_error`. If you can redirect a browser to the shop and back, `beginAuthorization`
 * needs no polling.
 *
 *     const consent = await requestConsent({ baseUrl, siteId }, { agent_name: 'Gift finder', budget_cents: 5000 });
 *     show(consent.verification_uri_complete, consent.user_code);
 *     const { access_token } = await consent.token();
 */
export async function requestConsent(
  options: ConsentOptions,
  wish: components['schemas']['ConsentRequest'],
): Promise<PendingConsent> {
  const { siteId, agentToken, ...rest } = options;
  const site_id = given('siteId', siteId);
  const request = createClient(rest).POST('/api/agent/consent/request', {
    params: { query: { site_id } },
    body: wish,
    ...(agentToken !== undefined && { headers: { Authorization: `Bearer ${agentToken}` } }),
  });
  const authorization = await unwrap(request);
  // Retries of the client would come too early. The waiting times are below.
  const client = createClient({ ...rest, maxAttempts: 1 });
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const { device_code, expires_in } = authorization;
  const deadline = Date.now() + expires_in * 1000;
  let { interval } = authorization;
  return {
    ...authorization,
    async token({ signal } = {}) {
      for (;;) {
        await sleep(interval * 1000, signal);
        try {
          return await unwrap(client.POST('/api/agent/consent/poll', { body: { device_code }, headers, signal }));
        } catch (error) {
          if (!isWorthAnother(error) || Date.now() > deadline) throw error;
          // RFC 8628 §3.5: poll less often after `slow_down`, and after a poll without a response.
          const slower = error instanceof ConnectionError || (error as CommerceError).code === 'slow_down';
          if (slower) interval += SLOWER_BY_SECONDS;
        }
      }
    },
  };
}

function isWorthAnother(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof CommerceError && error.retryable && error.code !== 'agent_cap_exceeded';
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
