import { hashToken } from '../../server/src/shop/tokens.ts';
import { leadsTo } from '../../server/test/oauth.ts';
import { formWith, type Page, PaperBrowser } from '../../server/test/paper-browser.ts';
import { asSignedIn, callOf, newCustomer, openAgent } from '../testing/agents.ts';
import { allow, begin, browserOf, type Flow, registerClient } from '../testing/oauth-flows.ts';
import { pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Tenant, World } from '../testing/tenant.ts';

/**
 * Tries to decide an authorization request in every state, as every kind of customer or guest: on its consent page, and
 * by the operations for user codes, which must not find the request. In the short form, only the owner tries both
 * decisions. Returns the number of attempts.
 */
export async function attackAuthorizations({ size, seed }: Trial, world: World): Promise<number> {
  const [tenant, other] = world.tenants;
  const client_id = await registerClient(world, tenant);
  const chance = chanceOf(seed);
  let tried = 0;
  for (const [state, arrange] of Object.entries(STATES)) {
    for (const who of ['owner', 'second', 'foreign', 'guest'] as const) {
      const both: Attempt['verb'][] = ['approve', 'deny'];
      for (const verb of who === 'owner' ? both : pick(size, [chance.of(both)], both)) {
        const flow = await begin(world, tenant, client_id);
        await arrange(world, flow);
        const browsers = {
          owner: () => flow.browser,
          second: () => browserOf(world, tenant),
          foreign: () => browserOf(world, other),
          guest: () => new PaperBrowser(world.baseUrl),
        };
        await decideAs(world, flow, { state, who, verb, browser: await browsers[who]() });
        tried += 1;
      }
    }
    tried += await elsewhere(world, tenant, client_id, state);
  }
  return tried;
}

const set =
  (columns: string) =>
  ({ owner }: World, flow: Flow): Promise<unknown> =>
    owner.query(
      `update commerce.agent_consents k set ${columns} from commerce.authorization_requests a
        where a.request_hash = $1 and k.site_id = a.site_id and k.id = a.consent_id`,
      [hashToken(secretOf(flow))],
    );

const isOver = `expires_at = now() - interval '1 second'`;

/**
 * Functions that bring a request into each state. The owner of a request is the customer whose browser the client has
 * redirected.
 */
const STATES: Record<string, (world: World, flow: Flow) => Promise<unknown>> = {
  pending: async () => {},
  approved: (_world, flow) => allow(flow),
  denied: async (_world, { browser, page }) => browser.press(await browser.open(page), 'deny'),
  expired: set(isOver),
  'approved and expired': async (world, flow) => {
    await allow(flow);
    await set(isOver)(world, flow);
  },
};

function secretOf({ page }: Flow): string {
  return new URL(page, 'http://localhost').searchParams.get('request') ?? '';
}

async function statusOf({ owner }: World, flow: Flow): Promise<{ status: string; code: string | null }> {
  const { rows } = await owner.query<{ status: string; code: string | null }>(
    `select k.status, encode(a.code_hash, 'hex') as code from commerce.authorization_requests a
      join commerce.agent_consents k on k.site_id = a.site_id and k.id = a.consent_id where a.request_hash = $1`,
    [hashToken(secretOf(flow))],
  );
  if (!rows[0]) throw new Error('The request is gone.');
  return rows[0];
}

interface Attempt {
  state: string;
  who: string;
  verb: 'approve' | 'deny';
  browser: PaperBrowser;
}

/**
 * Presses the page's button for the decision. If the page has no such button, sends the request that the button would
 * send.
 */
async function decideAs(world: World, flow: Flow, { state, who, verb, browser }: Attempt): Promise<void> {
  const before = await statusOf(world, flow);
  const page = await browser.open(flow.page);
  const isOffered = page.html.includes(`value="${verb}"`);
  const fields = isOffered ? formWith(page.html, verb) : strayFields(page);
  for (const [name, value] of [
    ['action', verb],
    ['budget', '20.00'],
  ])
    fields.set(name ?? '', value ?? '');
  const decided = await browser.send(flow.page, fields);
  const { response } = decided;
  const after = await statusOf(world, flow);
  const brought = leadsTo(decided)?.searchParams.has('code') ?? false;
  const mayDecide = state === 'pending' && ['owner', 'second'].includes(who);
  const what = `${who} tries to ${verb} a ${state} consent on the page`;
  const statuses = `${response.status}, before ${before.status}, now ${after.status}`;
  if (brought !== (mayDecide && verb === 'approve'))
    world.violations.add(
      `${what}: ${brought ? 'an authorization code was issued' : 'no authorization code was issued'}, ${statuses}`,
    );
  const expected = mayDecide ? (verb === 'approve' ? 'approved' : 'denied') : before.status;
  // As in the device flow, a customer who approved can still deny.
  const isSecondThought =
    who === 'owner' && verb === 'deny' && before.status === 'approved' && after.status === 'denied';
  if (after.status !== expected && !isSecondThought)
    world.violations.add(`${what}: expected the consent to be ${expected}, got ${statuses}`);
  if (!mayDecide && after.code !== null && after.code !== before.code)
    world.violations.add(`${what}: the authorization code was replaced, ${statuses}`);
}

/**
 * Returns the form token of the page, from any of its forms, such as the logout form. Empty if the page has no form.
 */
function strayFields({ html }: Page): URLSearchParams {
  const token = /name="csrf"[^>]*value="([^"]*)"/.exec(html)?.[1] ?? /value="([^"]*)"[^>]*name="csrf"/.exec(html)?.[1];
  return new URLSearchParams(token ? { csrf: token } : {});
}

/** Tries to decide by GET, and with the request's secret as a user code. Returns the number of attempts. */
async function elsewhere(world: World, tenant: Tenant, client_id: string, state: string): Promise<number> {
  const flow = await begin(world, tenant, client_id);
  await STATES[state]?.(world, flow);
  const before = await statusOf(world, flow);
  const { id, token } = await newCustomer(world, tenant);
  const agent = await openAgent(world, tenant, id);
  let tried = 0;
  for (const verb of ['approve', 'deny'] as const) {
    await flow.browser.open(`${flow.page}&action=${verb}&budget=20.00`);
    for (const secret of [token, agent.secret]) {
      const path = { user_code: secretOf(flow) };
      const call = callOf(`storefront.${verb}AgentConsent`, asSignedIn(tenant, secret), { path });
      const { status } = await world.send(call, tenant);
      if (status < 400) world.violations.add(`${verb} of a ${state} one by its secret as a code: ${status}`);
    }
    tried += 3;
  }
  const after = await statusOf(world, flow);
  if (after.status !== before.status || after.code !== before.code)
    world.violations.add(`a ${state} one became ${after.status} elsewhere`);
  return tried;
}
