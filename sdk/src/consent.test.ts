import type { DeviceAuthorization, IssuedAgentToken } from '@commerce-backend/spec';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { baseUrl, openNetwork, refusal, siteId } from '../test/backend.ts';
import { CommerceError, createAgentClient, requestConsent } from './index.ts';

const network = openNetwork();

const authorization = {
  device_code: 'dvc_1',
  user_code: 'WDJB-MJHT',
  verification_uri: `${baseUrl}/agent-consent`,
  verification_uri_complete: `${baseUrl}/agent-consent?user_code=WDJB-MJHT`,
  expires_in: 900,
  interval: 5,
} satisfies DeviceAuthorization;

const issued = {
  ...{ access_token: 'agt_1', token_type: 'Bearer' as const, expires_in: 604_800, scope: 'catalog:read' },
  ...{ token_id: siteId, agent_name: 'A', budget_cents: 0, currency: 'EUR', categories: [] },
  ...{ max_per_order_cents: null, budget_period: 'once' as const, budget_resets_at: null },
  expires_at: '2026-03-09T08:15:00.000Z',
} satisfies IssuedAgentToken;

type Answer = () => Response;

/** Answers the polls in this order, and records each poll's time in seconds and its Idempotency-Key. */
function answerPolls(...answers: Answer[]) {
  const polls: { at: number; key: string | null }[] = [];
  const begun = Date.now();
  network.use(
    http.post(`${baseUrl}/api/agent/consent/request`, () => HttpResponse.json(authorization)),
    http.post(`${baseUrl}/api/agent/consent/poll`, ({ request }) => {
      polls.push({ at: Math.round((Date.now() - begun) / 1000), key: request.headers.get('Idempotency-Key') });
      return answers[polls.length - 1]?.() ?? refusal(400, 'invalid_grant');
    }),
  );
  return polls;
}

const pending = () => refusal(400, 'authorization_pending', { retryable: true, headers: { 'Retry-After': '5' } });
const slowDown = () => refusal(400, 'slow_down', { retryable: true, headers: { 'Retry-After': '10' } });
const granted = () => HttpResponse.json(issued);
const ask = () => requestConsent({ baseUrl, siteId }, { agent_name: 'A' });

// Fakes only the timers that the client uses, because the network needs the others.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

/** Advances the fake time until a promise has settled. */
async function played<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const over = promise.finally(() => {
    settled = true;
  });
  over.catch(() => undefined);
  while (!settled) {
    await vi.advanceTimersByTimeAsync(1000);
    await new Promise((done) => setImmediate(done));
  }
  return over;
}

test('polls at the given interval, and less often after slow_down, until it gets a token', async () => {
  const polls = answerPolls(pending, slowDown, pending, granted);
  const consent = await ask();
  expect(consent.verification_uri_complete).toContain('WDJB-MJHT');

  expect(await played(consent.token())).toEqual(issued);

  const waits = polls.map(({ at }, i) => at - (polls[i - 1]?.at ?? 0));
  expect(waits[1]).toBeGreaterThanOrEqual(5);
  expect(Math.min(...waits.slice(2))).toBeGreaterThanOrEqual(10);
  expect(new Set(polls.map(({ key }) => key)).size).toBe(1);
});

test('repeats a poll with the same Idempotency-Key after a lost connection, so that the token is not lost', async () => {
  const polls = answerPolls(() => HttpResponse.error(), granted);
  const consent = await ask();

  expect((await played(consent.token())).access_token).toBe('agt_1');
  expect(polls).toHaveLength(2);
  expect(polls[0]?.key).toBe(polls[1]?.key);
});

test('throws agent_cap_exceeded, and can then poll the same consent request again', async () => {
  answerPolls(
    () => refusal(400, 'agent_cap_exceeded', { retryable: true }),
    granted,
    () => refusal(400, 'access_denied'),
  );
  const consent = await ask();

  const capped = await played(consent.token()).catch((error: unknown) => error);
  expect(capped).toBeInstanceOf(CommerceError);
  expect(capped).toMatchObject({ code: 'agent_cap_exceeded' });
  expect((await played(consent.token())).access_token).toBe('agt_1');
  await expect(played(consent.token())).rejects.toMatchObject({ code: 'access_denied' });
});

test("stops polling when the caller's signal is aborted", async () => {
  const polls = answerPolls(granted);
  const consent = await ask();
  const stop = new AbortController();

  const waiting = consent.token({ signal: stop.signal });
  stop.abort(new Error('Enough.'));

  await expect(waiting).rejects.toThrow('Enough.');
  expect(polls).toEqual([]);
});

test("an agent client requires only the agent's token", async () => {
  const requests: Request[] = [];
  network.use(
    http.get(`${baseUrl}/api/agent/audit/me`, ({ request }) => {
      requests.push(request);
      return HttpResponse.json({ audit_events: [], next_cursor: null });
    }),
  );

  const { data } = await createAgentClient({ baseUrl, agentToken: 'agt_1' }).GET('/api/agent/audit/me');

  expect(data?.audit_events).toEqual([]);
  expect(requests[0]?.headers.get('Authorization')).toBe('Bearer agt_1');
  expect(requests[0]?.headers.has('X-Service-Token')).toBe(false);
});
