import { randomUUID } from 'node:crypto';
import { RATE_LIMITS, type RateLimitName } from '../../server/src/shop/rate-limits.ts';
import { setSiteLimits } from '../../server/src/shop/site-limits.ts';
import { mintToken } from '../../server/src/shop/tokens.ts';
import { UCP_VERSION } from '../../server/src/ucp/protocol.ts';
import { findTool } from '../../server/test/tools.ts';
import { LimitedServers } from '../testing/limited-servers.ts';
import { notRunWithout } from '../testing/missing-tool.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import type { Reply } from '../testing/raw-requests.ts';
import { REDIS, Redis } from '../testing/redis.ts';
import { withDirectory } from '../testing/server-process.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/** Limits that another proof or test exhausts. */
const ELSEWHERE: Partial<Record<RateLimitName, string>> = {
  second_factor: 'server/src/dashboard/account.test.ts',
  operator: 'server/src/operator/sites.test.ts',
  agent_tool_list: 'server/src/mcp/listing.test.ts',
  public_tool: 'server/src/mcp/public.test.ts',
  public_tool_site: 'server/src/mcp/public.test.ts',
  client_document: 'server/src/http/pipeline/shared-limits.test.ts',
  discount_apply: 'I7',
  discount_failed_address: 'I7',
  discount_failed_site: 'I7',
  user_code_customer: 'F3',
  user_code_address: 'F3',
  user_code_site: 'F3',
  order_link_answer: 'server/src/pages/order/order.test.ts',
};
/** The short form skips limits that allow more requests than this. */
const SHORT_POINTS = 30;

/** The limit `private_token` of the shop. No machine is fast enough to exhaust the default limit within its window. */
const PRIVATE_TOKEN_POINTS = 30;

/** Uses up each limit exactly, through two server processes in turn, and then makes one more call. */
export const I5: Proof = {
  id: 'I5',
  promise: 'Each rate limit allows exactly its number of calls, over all servers together, and rejects the next.',
  async run(trial) {
    const program = findTool(REDIS);
    if (!program) return notRunWithout('I5', REDIS);
    return withDirectory(async (directory) => {
      const redis = await Redis.start(program, directory);
      try {
        return await attack(trial, directory, redis);
      } finally {
        await redis.end();
      }
    });
  },
};

async function attack(trial: Trial, directory: string, redis: Redis): Promise<Figures> {
  const violations = new Violations();
  const servers = await LimitedServers.start(trial, directory, redis.url);
  try {
    return await inWorld(trial, async (world) => {
      const calls = callsOf(servers, world);
      const unknown = names().filter((name) => !calls[name] && !ELSEWHERE[name]);
      for (const name of unknown) violations.add(`${name} was not looked at: teach proofs/faults/rate-limits.ts`);
      const chosen = names().filter((name) => calls[name] && pointsOf(name) <= pick(trial.size, SHORT_POINTS, 1e9));
      for (const name of chosen) {
        await useUp(name, calls[name] as Begin, { servers, redis, violations });
        trial.progress(`${name}, ${servers.sent} requests`);
      }
      const note = `${chosen.length} limits, two server processes`;
      return { tried: servers.sent, unit: 'requests', violations: violations.list, note } satisfies Figures;
    });
  } finally {
    await servers.stop();
  }
}

function names(): RateLimitName[] {
  return Object.keys(RATE_LIMITS) as RateLimitName[];
}

function pointsOf(name: RateLimitName): number {
  return name === 'private_token' ? PRIVATE_TOKEN_POINTS : RATE_LIMITS[name].points;
}

/** Prepares a new attempt to exhaust a limit. The returned function sends one request that counts against the limit. */
type Begin = () => ((n: number) => Promise<Reply>) | Promise<(n: number) => Promise<Reply>>;

interface Means {
  servers: LimitedServers;
  redis: Redis;
  violations: Violations;
}

/**
 * An attempt is repeated if the machine was too busy: the window ended before the limit was used up, a request failed
 * after it may have been counted, or a server got no response from Redis in time and counted locally, as it should.
 */
const TRIES = 5;
/** A little longer than the time for which shared-limiter.ts counts locally after Redis did not respond. */
const REDIS_LEFT_ALONE_MS = 1_200;
const SHORT_WINDOW_SECONDS = 60;

async function useUp(name: RateLimitName, begin: Begin, { servers, redis, violations }: Means): Promise<void> {
  const { seconds, strict } = RATE_LIMITS[name];
  let why = '';
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const [begun, failures, counted] = [Date.now(), servers.failures, await countedIn(redis, name)];
    const faults = await faultsOf(name, begin);
    const late = Date.now() - begun >= seconds * 1_000;
    const failed = servers.failures - failures;
    const missed = strict ? 0 : pointsOf(name) + 1 - ((await countedIn(redis, name)) - counted);
    if (!late && failed === 0 && missed === 0) {
      for (const fault of faults) violations.add(`${name}: ${fault}`);
      return;
    }
    why = `${late ? 'its window ended, ' : ''}${failed} requests failed, Redis counted ${missed} too few; ${faults.join('; ')}`;
    // If the window is short, waits for the next one, because other limits use the same agent or customer. Otherwise
    // only waits until the servers use Redis again.
    const again = late || seconds <= SHORT_WINDOW_SECONDS;
    await new Promise((done) => setTimeout(done, again ? seconds * 1_000 : REDIS_LEFT_ALONE_MS * attempt));
  }
  throw new Error(`${name} could not be used up in ${TRIES} attempts: ${why}`);
}

/** Returns the sum of all counters in Redis for a limit. */
async function countedIn(redis: Redis, name: RateLimitName): Promise<number> {
  const sum = `local n = 0 for _, key in ipairs(redis.call('KEYS', ARGV[1])) do n = n + redis.call('GET', key) end return n`;
  const reply = await redis.command(`EVAL "${sum}" 0 limit:${name}:*`);
  const count = /^:(\d+)/.exec(reply)?.[1];
  if (count === undefined) throw new Error(`Redis answered ${reply}`);
  return Number(count);
}

async function faultsOf(name: RateLimitName, begin: Begin): Promise<string[]> {
  const points = pointsOf(name);
  const faults: string[] = [];
  const call = await begin();
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

/** Inserts the profile of an agent without a token, as if the server had fetched it. */
async function keepAgentProfile({ owner }: World, site_id: string, host: string): Promise<string> {
  const url = `https://${host}/ucp`;
  const spoken = { 'dev.ucp.shopping.catalog.lookup': [UCP_VERSION] };
  await owner.query(
    `insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, keys, expires_at)
      values ($1, $2, $3, $4, $5, $6, '[]', now() + interval '1 day') on conflict do nothing`,
    [site_id, randomUUID(), url, host, UCP_VERSION, JSON.stringify(spoken)],
  );
  return url;
}

/** Returns, for each limit that this proof exhausts, calls that exhaust it without reaching a lower limit first. */
function callsOf(servers: LimitedServers, world: World): Partial<Record<RateLimitName, Begin>> {
  const [tenant, second, third] = world.tenants;
  const { site_id, secrets } = tenant;
  const guest = { 'X-Site-ID': site_id, 'X-Service-Token': secrets.StorefrontToken };
  const customer = { ...guest, Authorization: `Bearer ${secrets.CustomerToken}` };
  // Find and buy calls also count as calls of their agent, so a different agent is used for each of these limits.
  const agentOf = (one: Tenant) => ({ Authorization: `Bearer ${one.secrets.AgentToken}` });
  const same =
    (method: string, target: string, headers: Record<string, string>, body?: (n: number) => unknown) => () => {
      const address = servers.newAddress();
      return (n: number) => servers.send(address, method, target, headers, body?.(n));
    };
  /** Sends each request from another IP address, to exhaust limits that do not depend on the address. */
  const spread =
    (method: string, target: string, headers: Record<string, string>, body?: (n: number) => unknown) =>
    () =>
    (n: number) =>
      servers.send(servers.newAddress(), method, target, headers, body?.(n));
  const login = () => ({ email: `${randomUUID()}@example.com`, password: 'a password of nobody' });
  const privateToken = async () => {
    const body = { description: 'Rendering', kind: 'private' };
    const { secret } = (await callAs(world, tenant, 'dashboard.createStorefrontToken', body)) as { secret: string };
    return { 'X-Site-ID': site_id, 'X-Service-Token': secret };
  };
  const buyer = (headers: Record<string, string>, n: number) => ({
    ...headers,
    'X-Buyer-IP': `10.250.${n >> 8}.${n & 255}`,
  });
  const lookUp = `/sites/${site_id}/ucp/v1/catalog/lookup`;
  const ids = (n: number) => ({ ids: [`product-${n}`] });
  const profile = (url: string) => ({ 'UCP-Agent': `profile="${url}"` });
  const registration = () => ({ redirect_uris: ['https://assistant.example/callback'] });
  const consent = () => ({ agent_name: 'Proof', scopes: ['catalog:read'] });
  return {
    storefront_read: same('GET', '/api/storefront/products', guest),
    cart_write: same('POST', '/api/storefront/cart', guest),
    checkout: () => {
      const cart_id = randomUUID();
      return () => servers.send(servers.newAddress(), 'POST', '/api/storefront/checkout', guest, { cart_id });
    },
    private_token: async () => {
      await setSiteLimits(world.db, site_id, new Map([['private_token', PRIVATE_TOKEN_POINTS]]));
      const headers = await privateToken();
      return (n: number) => servers.send('10.0.0.1', 'GET', '/api/storefront/shop', buyer(headers, n));
    },
    customer_login_token: async () => {
      await setSiteLimits(world.db, site_id, new Map([['private_token', undefined]]));
      const headers = await privateToken();
      const target = '/api/storefront/customer/login';
      return (n: number) => servers.send('10.0.0.1', 'POST', target, buyer(headers, n), login());
    },
    customer: spread('GET', '/api/storefront/customer/me', customer),
    dashboard: spread('GET', '/api/dashboard/me', { 'X-API-Key': secrets.ApiKey }),
    order_mail: spread('POST', `/api/dashboard/orders/${randomUUID()}/mails`, { 'X-API-Key': secrets.ApiKey }, () => ({
      kind: 'placed',
    })),
    staff_invitation: spread(
      'POST',
      '/api/dashboard/staff/invitations',
      { Authorization: `Bearer ${secrets.StaffSession}` },
      () => ({ email: `${randomUUID()}@example.com`, role: 'viewer' }),
    ),
    sync: spread('GET', '/api/sync/products?limit=1', { 'X-Site-ID': site_id, 'X-Sync-Secret': secrets.SyncSecret }),
    agent: spread('GET', '/api/agent/orders', agentOf(tenant)),
    agent_buy: spread('POST', '/api/agent/intent/find-and-buy', agentOf(third), () => ({ product_id: randomUUID() })),
    agent_find: spread('POST', '/api/agent/intent/find', agentOf(second), () => ({ query: 'mug' })),
    // Profiles on an example host can never be fetched, and a failed fetch is not retried immediately.
    agent_profile: () => {
      const address = servers.newAddress();
      return (n: number) => servers.send(address, 'POST', lookUp, profile(`https://agent-${n}.example/ucp`), ids(n));
    },
    agent_profile_host: () => (n: number) =>
      servers.send(servers.newAddress(), 'POST', lookUp, profile(`https://agents.example/${n}`), ids(n)),
    guest_agent: async () => {
      const known = await keepAgentProfile(world, site_id, 'one.example');
      const address = servers.newAddress();
      return (n: number) => servers.send(address, 'POST', lookUp, profile(known), ids(n));
    },
    guest_agent_host: async () => {
      const known = await keepAgentProfile(world, site_id, 'two.example');
      return (n: number) => servers.send(servers.newAddress(), 'POST', lookUp, profile(known), ids(n));
    },
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
    // Uses another shop, whose limits no other call of this proof uses.
    consent_request: same('POST', '/api/agent/consent/request', { 'X-Site-ID': second.site_id }, consent),
    client_registration: same('POST', `/sites/${second.site_id}/oauth/register`, {}, registration),
    consent_poll: same('POST', '/api/agent/consent/poll', {}, () => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: mintToken('device'),
    })),
  };
}
