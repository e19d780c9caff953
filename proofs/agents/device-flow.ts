import * as oauth from 'openid-client';
import { asSignedIn, callOf, newCustomer } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';

/** Runs a third-party OAuth client through an approval, a late approval and a denial, with and without discovery. */
export const F1: Proof = {
  id: 'F1',
  promise: 'An unmodified OAuth client gets its token by the device flow, or the error that the standard defines.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const rounds = pick(trial.size, 1, 5);
      let flows = 0;
      for (let round = 0; round < rounds; round += 1) {
        for (const discovers of [true, false]) {
          for (const [turn, play] of Object.entries(TURNS)) {
            const config = await configure(world, tenant, discovers);
            const heard = await play(world, tenant, config).catch((error: unknown) => String(error));
            if (heard !== AS_EXPECTED)
              world.violations.add(`${turn}, ${discovers ? 'with' : 'without'} discovery: ${heard}`);
            flows += 1;
          }
        }
      }
      return { tried: flows, unit: 'flows', violations: world.violations.list };
    }),
};

async function configure({ baseUrl }: World, { site_id }: Tenant, discovers: boolean): Promise<oauth.Configuration> {
  // Replaces the base URL in links: links begin with the configured URL, but in the proof the server listens on another
  // port.
  const local = ((url: string, init: RequestInit) =>
    fetch(url.replace(/^http:\/\/localhost(?=\/)/, baseUrl), init)) as oauth.CustomFetch;
  const config = discovers
    ? await oauth.discovery(new URL(`http://localhost/sites/${site_id}`), 'A stock client', undefined, oauth.None(), {
        algorithm: 'oauth2',
        execute: [oauth.allowInsecureRequests],
        [oauth.customFetch]: local,
      })
    : new oauth.Configuration(
        {
          issuer: 'http://localhost',
          device_authorization_endpoint: `http://localhost/api/agent/consent/request?site_id=${site_id}`,
          token_endpoint: 'http://localhost/api/agent/consent/poll',
        },
        'A stock client',
        undefined,
        oauth.None(),
      );
  oauth.allowInsecureRequests(config);
  config[oauth.customFetch] = local;
  return config;
}

type Turn = (world: World, tenant: Tenant, config: oauth.Configuration) => Promise<string>;

const AS_EXPECTED = 'as expected';
const SCOPE = 'catalog:read cart:write';
/**
 * A shorter interval than the server requires, so that the proof takes less time. When the server responds with
 * slow_down, the client waits longer, as the standard requires.
 */
const HURRIED = { interval: 0.1 };

const TURNS: Record<string, Turn> = {
  approved: async (world, tenant, config) => {
    const asked = await oauth.initiateDeviceAuthorization(config, { scope: SCOPE, budget_cents: '2500' });
    await decide(world, tenant, asked.user_code, 'approve');
    const token = await oauth.pollDeviceAuthorizationGrant(config, { ...asked, ...HURRIED });
    return judge(world, tenant, token, 2500);
  },
  'approved after a while': async (world, tenant, config) => {
    const asked = await oauth.initiateDeviceAuthorization(config, { scope: SCOPE });
    const polling = oauth.pollDeviceAuthorizationGrant(config, { ...asked, ...HURRIED });
    polling.catch(() => undefined);
    await new Promise((done) => setTimeout(done, 500));
    await decide(world, tenant, asked.user_code, 'approve');
    return judge(world, tenant, await polling);
  },
  denied: async (world, tenant, config) => {
    const asked = await oauth.initiateDeviceAuthorization(config, { scope: SCOPE });
    await decide(world, tenant, asked.user_code, 'deny');
    const polling = oauth.pollDeviceAuthorizationGrant(config, { ...asked, ...HURRIED });
    return polling.then(
      () => 'expected the error access_denied, got a token',
      (error: unknown) =>
        (error as { error?: string }).error === 'access_denied'
          ? AS_EXPECTED
          : `expected the error access_denied, got ${error}`,
    );
  },
};

/** Violations do not quote the token, because it may still be valid. */
async function judge(
  world: World,
  tenant: Tenant,
  { access_token, token_type, scope, budget_cents }: oauth.TokenEndpointResponse,
  budget?: number,
): Promise<string> {
  const isWorking = await works(world, tenant, access_token);
  const fits = token_type === 'bearer' && scope === SCOPE && (budget === undefined || budget_cents === budget);
  if (isWorking && fits) return AS_EXPECTED;
  const got = `a ${isWorking ? 'working' : 'rejected'} ${token_type} token with scope ${scope} and budget ${budget_cents}`;
  return `expected a working bearer token with scope ${SCOPE}${budget === undefined ? '' : ` and budget ${budget}`}, got ${got}`;
}

async function decide(world: World, tenant: Tenant, user_code: string, verb: 'approve' | 'deny'): Promise<void> {
  const { token } = await newCustomer(world, tenant);
  const call = callOf(`storefront.${verb}AgentConsent`, asSignedIn(tenant, token), { path: { user_code } });
  const { status, text } = await world.send(call, tenant);
  if (status !== 200) throw new Error(`The decision was refused: ${status} ${text}`);
}

async function works(world: World, tenant: Tenant, token: string): Promise<boolean> {
  const { status } = await world.send(callOf('agent.listAudit', { Authorization: `Bearer ${token}` }), tenant);
  return status === 200;
}
