import { randomUUID } from 'node:crypto';
import type { AppDeps } from '../../server/src/app.ts';
import { createLogger } from '../../server/src/http/pipeline/log.ts';
import { connectRedis } from '../../server/src/redis.ts';
import { RATE_LIMITS, type RateLimitName } from '../../server/src/shop/rate-limits.ts';
import { mintToken } from '../../server/src/shop/tokens.ts';
import { findTool } from '../../server/test/tools.ts';
import type { Reply } from '../client.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../frame.ts';
import { LimitedServers } from '../limited-servers.ts';
import { notRunWithout } from '../missing-tool.ts';
import type { Tenant, World } from '../tenant.ts';
import { inWorld } from '../world.ts';
import { REDIS, Redis } from './redis.ts';
import { withDirectory } from './server-process.ts';

/** Limits that another proof takes to their last point. */
const ELSEWHERE: Partial<Record<RateLimitName, string>> = {
  discount_apply: 'I7',
  discount_failed_address: 'I7',
  discount_failed_site: 'I7',
  user_code_customer: 'F3',
  user_code_address: 'F3',
  user_code_site: 'F3',
};
/** The short form leaves out what takes hundreds of requests. */
const SHORT_POINTS = 30;

/** Each limit is used up to its last point through two servers in turn, and once more. */
export const I5: Proof = {
  id: 'I5',
  promise: 'Each limit lets through as many as it says, over all servers together, and refuses the next.',
  async run(trial) {
    const program = findTool(REDIS);
    if (!program) return notRunWithout('I5', REDIS);
    return withDirectory(async (directory) => {
      const redis = await Redis.start(program, directory);
      const client = await connectRedis(redis.url, createLogger('silent'));
      try {
        return await attack(trial, client);
      } finally {
        client.destroy();
        await redis.end();
      }
    });
  },
};

async function attack(trial: Trial, redis: AppDeps['redis']): Promise<Figures> {
  const violations = new Violations();
  const servers = await LimitedServers.start(trial, redis);
  try {
    return await inWorld(trial, async (world) => {
      const calls = callsOf(servers, world.tenants);
      const unknown = names().filter((name) => !calls[name] && !ELSEWHERE[name]);
      for (const name of unknown) violations.add(`${name} was not looked at: teach proofs/processes/i5-limits.ts`);
      const chosen = names().filter(
        (name) => calls[name] && RATE_LIMITS[name].points <= pick(trial.size, SHORT_POINTS, 1e9),
      );
      for (const name of chosen) {
        await useUp(name, calls[name] ?? (() => () => Promise.reject()), violations);
        trial.progress(`${name}, ${servers.sent} requests`);
      }
      const note = `${chosen.length} limits, two servers`;
      return { tried: servers.sent, unit: 'requests', violations: violations.list, note } satisfies Figures;
    });
  } finally {
    await servers.stop();
  }
}

function names(): RateLimitName[] {
  return Object.keys(RATE_LIMITS) as RateLimitName[];
}

/** Begins to use up a limit anew; what it answers sends one request that counts. */
type Begin = () => (n: number) => Promise<Reply>;

/** On a busy machine a window may end before the limit is used up; what was seen then says nothing. */
const TRIES = 3;

async function useUp(name: RateLimitName, begin: Begin, violations: Violations): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const begun = Date.now();
    const faults = await faultsOf(name, begin);
    if (Date.now() - begun < RATE_LIMITS[name].seconds * 1_000) {
      for (const fault of faults) violations.add(`${name}: ${fault}`);
      return;
    }
    // The next window begins with the next request.
    await new Promise((done) => setTimeout(done, RATE_LIMITS[name].seconds * 1_000));
  }
  throw new Error(`The machine is too slow to use ${name} up within its window.`);
}

async function faultsOf(name: RateLimitName, begin: Begin): Promise<string[]> {
  const { points } = RATE_LIMITS[name];
  const faults: string[] = [];
  const call = begin();
  const lanes = Array.from({ length: 8 }, (_, lane) => lane);
  const within: number[] = [];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let n = lane; n < points; n += lanes.length) within.push((await call(n)).status);
    }),
  );
  const early = within.filter((status) => [415, 422, 429].includes(status) || status >= 500);
  if (early.length > 0) faults.push(`${early.length} of ${points} were refused: ${[...new Set(early)].join()}`);
  const { status, headers } = await call(points);
  if (status !== 429) faults.push(`request ${points + 1} got ${status}, not 429`);
  else if (!headers['retry-after'] || !headers.ratelimit || !headers['ratelimit-policy']) {
    faults.push('the refusal does not say when to come back');
  }
  return faults;
}

/** How to draw from each limit and from no narrower one. */
function callsOf(
  servers: LimitedServers,
  [tenant, second, third]: World['tenants'],
): Partial<Record<RateLimitName, Begin>> {
  const { site_id, secrets } = tenant;
  const guest = { 'X-Site-ID': site_id, 'X-Service-Token': secrets.StorefrontToken };
  const customer = { ...guest, Authorization: `Bearer ${secrets.CustomerToken}` };
  // What agents find and buy counts as calls of theirs: each limit has an agent of its own.
  const agentOf = (one: Tenant) => ({ Authorization: `Bearer ${one.secrets.AgentToken}` });
  const same =
    (method: string, target: string, headers: Record<string, string>, body?: (n: number) => unknown) => () => {
      const address = servers.newAddress();
      return (n: number) => servers.send(address, method, target, headers, body?.(n));
    };
  /** From another address each time: the limit is of something else. */
  const spread =
    (method: string, target: string, headers: Record<string, string>, body?: (n: number) => unknown) =>
    () =>
    (n: number) =>
      servers.send(servers.newAddress(), method, target, headers, body?.(n));
  const login = () => ({ email: `${randomUUID()}@example.com`, password: 'a password of nobody' });
  const site = { 'X-Site-ID': site_id };
  const consent = () => ({ agent_name: 'Proof', scopes: ['catalog:read'] });
  return {
    storefront_read: same('GET', '/api/storefront/products', guest),
    cart_write: same('POST', '/api/storefront/cart', guest),
    checkout: () => {
      const cart_id = randomUUID();
      return () => servers.send(servers.newAddress(), 'POST', '/api/storefront/checkout', guest, { cart_id });
    },
    customer: spread('GET', '/api/storefront/customer/me', customer),
    dashboard: spread('GET', '/api/dashboard/me', { 'X-API-Key': secrets.ApiKey }),
    sync: spread('GET', '/api/sync/products?limit=1', { 'X-Site-ID': site_id, 'X-Sync-Secret': secrets.SyncSecret }),
    agent: spread('GET', '/api/agent/token', agentOf(tenant)),
    agent_buy: spread('POST', '/api/agent/intent/find-and-buy', agentOf(third), () => ({ product_id: randomUUID() })),
    agent_find: spread('POST', '/api/agent/intent/find', agentOf(second), () => ({ query: 'mug' })),
    failed_credentials: same('GET', '/api/dashboard/me', { 'X-API-Key': mintToken('api_key') }),
    failed_credentials_address: () => {
      const address = servers.newAddress();
      return () => {
        const headers = { 'X-Site-ID': randomUUID(), 'X-Service-Token': mintToken('storefront') };
        return servers.send(address, 'GET', '/api/storefront/products', headers);
      };
    },
    login: same('POST', '/api/dashboard/auth/login', {}, login),
    customer_login: same('POST', '/api/storefront/customer/login', guest, login),
    reset_request: () => {
      const email = `${randomUUID()}@example.com`;
      return () =>
        servers.send(servers.newAddress(), 'POST', '/api/storefront/customer/reset-request', guest, { email });
    },
    reset_request_address: same('POST', '/api/storefront/customer/reset-request', guest, () => ({
      email: `${randomUUID()}@example.com`,
    })),
    consent_request: same('POST', '/api/agent/consent/request', site, consent),
    consent_request_site: spread('POST', '/api/agent/consent/request', site, consent),
    consent_poll: same('POST', '/api/agent/consent/poll', {}, () => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: mintToken('device'),
    })),
  };
}
