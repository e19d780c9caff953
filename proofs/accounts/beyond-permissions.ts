import { randomUUID } from 'node:crypto';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { GRANTS, SCOPES_OF, scopesOfGrant } from './permissions.ts';
import type { Answered, Member, Team } from './team.ts';

/** Sends permitted operations with a body, or for an object, that the caller's role or scopes exclude. Each must be rejected. */
export async function exceedScopes(team: Team): Promise<void> {
  await refundByCancelling(team);
  await grantMore(team);
  await subscribeBeyond(team);
  await raiseOthers(team);
}

/** Inserts an API key with these scopes into the database. The API would refuse scopes that the caller lacks. */
export async function keyOf({ owner, site }: Team, granted: string[]): Promise<{ id: string; secret: string }> {
  const [id, secret] = [randomUUID(), mintToken('api_key')];
  await owner.query(
    `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes)
     values ($1, $2, 'api_key', $3, 'key_', 'Proof', $4)`,
    [site.site_id, id, hashToken(secret), granted],
  );
  return { id, secret };
}

function expectRefused({ violations }: Team, what: string, { status, body }: Answered): void {
  const isRefused = status === 403 && body.error === 'insufficient_scope';
  if (!isRefused)
    violations.add(`${what}: expected 403 insufficient_scope, got ${status} ${JSON.stringify(body).slice(0, 300)}`);
}

function expectAllowed({ violations }: Team, what: string, { status, body }: Answered): void {
  if (status >= 300) violations.add(`${what}: expected 2xx, got ${status} ${JSON.stringify(body).slice(0, 300)}`);
}

/** Cancelling an order with a refund must require the scope for refunds. */
async function refundByCancelling(team: Team): Promise<void> {
  const { secret } = await keyOf(team, ['orders:read', 'orders:write']);
  const callers = {
    fulfilment: (await team.hire('fulfilment')).headers,
    'a key without refunds': { 'X-API-Key': secret },
  };
  for (const [name, headers] of Object.entries(callers)) {
    const order_id = await paidOrder(team);
    const call = { method: 'POST', path: `/api/dashboard/orders/${order_id}/cancel`, headers };
    const answer = await team.send({ ...call, body: { reason: 'customer', refund: true } });
    expectRefused(team, `${name} refunds by cancelling`, answer);
    const { rows } = await team.owner.query<{ status: string }>(
      'select status from commerce.orders where site_id = $1 and id = $2',
      [team.site.site_id, order_id],
    );
    if (rows[0]?.status !== 'confirmed')
      team.violations.add(`${name} was refused, and the order is ${rows[0]?.status}`);
    expectAllowed(team, `${name} cancels`, await team.send({ ...call, body: { reason: 'customer' } }));
  }
}

async function paidOrder({ owner, site }: Team): Promise<string> {
  const order_id = randomUUID();
  await owner.query(
    `insert into commerce.orders (site_id, id, order_number, subtotal, total, currency, status, payment_status,
       fulfillment_status, payment_method, source, payment_confirmed_at)
     values ($1, $2::uuid, $2::text, 15.00, 15.00, 'EUR', 'confirmed', 'paid', 'unfulfilled', 'bank_transfer', 'storefront', now())`,
    [site.site_id, order_id],
  );
  return order_id;
}

/** Nobody may create or rotate a key with a scope that they lack. */
async function grantMore(team: Team): Promise<void> {
  for (const role of ['owner', 'manager'] as const) {
    const { headers } = await team.hire(role);
    for (const grant of GRANTS) {
      const isOurs = scopesOfGrant([grant]).every((scope) => SCOPES_OF[role].includes(scope));
      const judge = isOurs ? expectAllowed : expectRefused;
      const path = '/api/dashboard/api-keys';
      const made = await team.send({ method: 'POST', path, headers, body: { description: 'Proof', scopes: [grant] } });
      judge(team, `${role} makes a key for ${grant}`, made);
      const { id } = await keyOf(team, [grant]);
      const rotated = await team.send({ method: 'POST', path: `${path}/${id}/rotate`, headers });
      judge(team, `${role} rotates a key for ${grant}`, rotated);
      await team.owner.query(
        `delete from commerce.tokens where site_id = $1 and kind = 'api_key' and description = 'Proof'`,
        [team.site.site_id],
      );
    }
  }
}

const EVENTS = {
  'product.updated': 'products:read',
  'inventory.changed': 'inventory:read',
  'order.paid': 'orders:read',
  'order.*': 'orders:read',
  'return.*': 'orders:read',
  'document.issued': 'orders:read',
  'customer.created': 'customers:read',
  'agent.*': 'agents:read',
};

/** Subscribing to an event must require the scope that reads the event's resource. */
async function subscribeBeyond(team: Team): Promise<void> {
  for (const [event, scope] of Object.entries(EVENTS)) {
    for (const granted of [['webhooks:write'], ['webhooks:write', scope]]) {
      const { secret } = await keyOf(team, granted);
      const judge = granted.length > 1 ? expectAllowed : expectRefused;
      const headers = { 'X-API-Key': secret };
      const what = `a key of ${granted.join(' and ')} subscribes to ${event}`;
      const body = { url: 'https://receiver.example/hook', events: [event] };
      judge(team, what, await team.send({ method: 'POST', path: '/api/dashboard/webhooks', headers, body }));
      const listen = { method: 'POST', path: '/api/dashboard/events/listeners', headers, body: { events: [event] } };
      judge(team, `${what} as a listener`, await team.send(listen));
    }
  }
}

/** A manager must not be able to add, change or remove an owner. */
async function raiseOthers(team: Team): Promise<void> {
  const [boss, manager, viewer] = [await team.hire('owner'), await team.hire('manager'), await team.hire('viewer')];
  const { id } = await team.invite({ role: 'owner' });
  const path = '/api/dashboard/staff';
  const by = ({ headers }: Member) => ({ headers });
  const email = `${randomUUID()}@example.com`;
  const refused = {
    'invites an owner': { method: 'POST', path: `${path}/invitations`, body: { email, role: 'owner' } },
    'withdraws the invitation of an owner': { method: 'DELETE', path: `${path}/invitations/${id}` },
    'makes somebody an owner': { method: 'PATCH', path: `${path}/${viewer.id}`, body: { role: 'owner' } },
    'makes an owner a viewer': { method: 'PATCH', path: `${path}/${boss.id}`, body: { role: 'viewer' } },
    'removes an owner': { method: 'DELETE', path: `${path}/${boss.id}` },
  };
  for (const [what, call] of Object.entries(refused)) {
    expectRefused(team, `a manager ${what}`, await team.send({ ...call, ...by(manager) }));
  }
  const allowed = { method: 'PATCH', path: `${path}/${viewer.id}`, body: { role: 'support' } };
  expectAllowed(team, 'a manager changes a viewer', await team.send({ ...allowed, ...by(manager) }));
}
