import { randomUUID } from 'node:crypto';
import { type Account, asCustomer, asGuest, CUSTOMER_PASSWORD, openAccount } from '../testing/customers.ts';
import { mailedSecret } from '../testing/mails.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import type { Reply } from '../testing/raw-requests.ts';
import { callAs, operationOf, type Tenant, tryAs, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { useCodesAgain } from './second-factor-codes.ts';

/**
 * Ends a customer's sessions in each of the ways in ENDINGS, and tries every token of these sessions, including tokens
 * issued while the sessions end.
 */
export const B4: Proof = {
  id: 'B4',
  promise:
    'After a session has ended, by whatever means, its tokens fail from the very next call; a second-factor code logs in once.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      let tried = 0;
      for (let round = 0; round < pick(trial.size, 1, 25); round += 1) {
        for (const [what, ending] of Object.entries(ENDINGS)) {
          tried += await play(world, what, ending);
          trial.progress(`${what}, ${tried} calls`);
        }
        tried += await useCodesAgain(world);
      }
      return { tried, unit: 'calls with what had ended', violations: world.violations.list } satisfies Figures;
    }),
};

interface Session {
  token: string;
  /** The request that issued the token: its idempotency key, operation and caller. */
  given: { key: string; operation: string; body?: object; by: Tenant };
}

interface Ending {
  /** Ends sessions of the customer (see `ends`). The call is made with the session `first`. */
  end(of: { world: World; tenant: Tenant; account: Account; first: { token: string } }): Promise<unknown>;
  /** The sessions that this call ends. */
  ends: 'all' | 'the first' | 'all but the first';
  /** Set if all sessions end but the password stays valid, so that a concurrent login may succeed. */
  keepsPassword?: true;
}

export const ENDINGS: Record<string, Ending> = {
  logout: {
    end: ({ world, tenant, first }) => callAs(world, asCustomer(tenant, first.token), 'storefront.logoutCustomer'),
    ends: 'the first',
  },
  'a logout everywhere': {
    end: ({ world, tenant, first }) =>
      callAs(world, asCustomer(tenant, first.token), 'storefront.logoutCustomerEverywhere'),
    ends: 'all',
    keepsPassword: true,
  },
  'another password': {
    end: ({ world, tenant, first }) =>
      callAs(world, asCustomer(tenant, first.token), 'storefront.changePassword', {
        current_password: CUSTOMER_PASSWORD,
        new_password: NEW_PASSWORD,
      }),
    ends: 'all but the first',
  },
  'a link for a new password': {
    end: async ({ world, tenant, account }) => {
      await callAs(world, asGuest(tenant), 'storefront.requestPasswordReset', { email: account.email });
      const token = await mailedSecret(world, tenant.site_id, account.email);
      return callAs(world, asGuest(tenant), 'storefront.resetPassword', { token, new_password: NEW_PASSWORD });
    },
    ends: 'all',
  },
  'another address, entered by staff and confirmed': {
    end: async ({ world, tenant, account: { id, email } }) => {
      await callAs(world, tenant, 'dashboard.updateCustomer', { email: `new-${email}` }, { customer_id: id });
      const token = await mailedSecret(world, tenant.site_id, `new-${email}`);
      return callAs(world, asGuest(tenant), 'storefront.verifyEmail', { token });
    },
    ends: 'all',
    keepsPassword: true,
  },
  anonymisation: {
    end: ({ world, tenant, account: { id } }) =>
      callAs(world, tenant, 'dashboard.anonymizeCustomer', undefined, { customer_id: id }),
    ends: 'all',
  },
  'a closed account': {
    end: ({ world, tenant, first }) => callAs(world, asCustomer(tenant, first.token), 'storefront.deleteCustomer'),
    ends: 'all',
  },
};

const NEW_PASSWORD = 'another password of the proofs';

/**
 * Logs in twice and renews both sessions, then ends sessions with `ending`, while further logins and renewals run.
 * Expects the tokens of the ended sessions to fail and the other sessions to continue.
 */
async function play(world: World, what: string, { end, ends, keepsPassword }: Ending): Promise<number> {
  const [tenant] = world.tenants;
  const account = await openAccount(world, tenant);
  const body = { email: account.email, password: CUSTOMER_PASSWORD };
  const login = () => give(world, asGuest(tenant), 'storefront.loginCustomer', body);
  const renew = ({ token }: Session) => give(world, asCustomer(tenant, token), 'storefront.refreshCustomerToken');
  const [first, second] = [await mustGive(login()), await mustGive(login())];
  const ofFirst = [first, await mustGive(renew(first))];
  const ofSecond = [second, await mustGive(renew(second))];
  const [, ofFirstToo, ofSecondToo, logins] = await Promise.all([
    end({ world, tenant, account, first }),
    Promise.all([1, 2, 3].map(() => renew(first))),
    Promise.all([renew(second), renew(second)]),
    Promise.all([login(), login()]),
  ]);
  const dead = [
    ...(ends === 'all but the first' ? [] : [...ofFirst, ...ofFirstToo]),
    ...(ends === 'the first' ? [] : [...ofSecond, ...ofSecondToo]),
    ...(ends === 'the first' || keepsPassword ? [] : logins),
  ].filter((session) => session !== undefined);
  let tried = 0;
  for (const session of dead) tried += await expectDead(world, tenant, session, what);
  const alive = ends === 'all' ? [] : ends === 'the first' ? ofSecond : ofFirst;
  for (const { token } of alive) {
    const { status } = await tryAs(world, asCustomer(tenant, token), 'storefront.getCustomer');
    if (status !== 200)
      world.violations.add(`${what} ended a session that should continue: expected 200, got ${status}`);
  }
  return tried;
}

/** Requests a token. Returns undefined if the request was rejected. */
async function give(world: World, by: Tenant, operation: string, body?: object): Promise<Session | undefined> {
  const given = { key: randomUUID(), operation, body, by };
  const { status, text } = await sendAgain(world, given);
  return status === 200 ? { token: (JSON.parse(text) as { access_token: string }).access_token, given } : undefined;
}

async function mustGive(giving: Promise<Session | undefined>): Promise<Session> {
  const session = await giving;
  if (!session) throw new Error('The proof was refused its session.');
  return session;
}

/** Calls the storefront under this key, with the token of the customer even where the operation takes none. */
export function sendAgain(world: World, { key, operation, body, by }: Session['given']): Promise<Reply> {
  const { site_id, secrets } = by;
  const headers = {
    'X-Site-ID': site_id,
    'X-Service-Token': secrets.StorefrontToken,
    ...(secrets.CustomerToken && { Authorization: `Bearer ${secrets.CustomerToken}` }),
    'Idempotency-Key': key,
  };
  return world.send({ operation: operationOf(operation), path: {}, query: {}, headers, body }, by);
}

/**
 * Expects 401 for calls with the token, even where a token is optional, and that a retry with the old idempotency key
 * returns no token. Returns the number of calls.
 */
async function expectDead(world: World, tenant: Tenant, { token, given }: Session, what: string): Promise<number> {
  const calls = ['getCustomer', 'listCustomerOrders', 'refreshCustomerToken', 'createCart', 'logoutCustomer'];
  for (const name of calls) {
    const { status, text } = await tryAs(world, asCustomer(tenant, token), `storefront.${name}`);
    if (status !== 401)
      world.violations.add(`${what}: ${name} with an earlier token: expected 401, got ${status} ${text}`);
  }
  const replay = await sendAgain(world, given);
  if (replay.status < 400)
    world.violations.add(`${what}: repeating an earlier request returned its token again: ${replay.text}`);
  return calls.length + 1;
}
