import { randomUUID } from 'node:crypto';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { GRANTS, SCOPES_OF, scopesOfGrant } from './permissions.ts';
import type { Answered, Team } from './team.ts';

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

function expect({ violations }: Team, isAllowed: boolean, what: string, { status, body }: Answered): void {
  const isRefused = status === 403 && body.error === 'insufficient_scope';
  if (isAllowed ? status >= 300 : !isRefused)
    violations.add(
      `${what}: expected ${isAllowed ? '2xx' : '403 insufficient_scope'}, got ${status} ${JSON.stringify(body).slice(0, 300)}`,
    );
}

/** Cancelling an order with a refund must require the scope for refunds. */
export async function refundByCancelling(team: Team): Promise<void> {
  const { secret } = await keyOf(team, ['orders:read', 'orders:write']);
  const callers = {
    fulfilment: (await team.hire('fulfilment')).headers,
    'a key without refunds': { 'X-API-Key': secret },
  };
  for (const [name, headers] of Object.entries(callers)) {
    const order_id = randomUUID();
    await team.owner.query(
      `insert into commerce.orders (site_id, id, order_number, subtotal, total, currency, status, payment_status,
         fulfillment_status, payment_method, source, payment_confirmed_at)
       values ($1, $2::uuid, $2::text, 15.00, 15.00, 'EUR', 'confirmed', 'paid', 'unfulfilled', 'bank_transfer', 'storefront', now())`,
      [team.site.site_id, order_id],
    );
    const call = { method: 'POST', path: `/api/dashboard/orders/${order_id}/cancel`, headers };
    const refunds = { ...call, body: { reason: 'customer', refund: true } };
    expect(team, false, `${name} refunds by cancelling`, await team.send(refunds));
    expect(team, true, `${name} cancels`, await team.send({ ...call, body: { reason: 'customer' } }));
  }
}

/** Nobody may create or rotate a key with a scope that they lack. */
export async function grantMore(team: Team): Promise<void> {
  const path = '/api/dashboard/api-keys';
  for (const role of ['owner', 'manager'] as const) {
    const { headers } = await team.hire(role);
    for (const grant of GRANTS) {
      const isOurs = scopesOfGrant([grant]).every((scope) => SCOPES_OF[role].includes(scope));
      const made = await team.send({ method: 'POST', path, headers, body: { description: 'Proof', scopes: [grant] } });
      expect(team, isOurs, `${role} makes a key for ${grant}`, made);
      const { id } = await keyOf(team, [grant]);
      const rotated = await team.send({ method: 'POST', path: `${path}/${id}/rotate`, headers });
      expect(team, isOurs, `${role} rotates a key for ${grant}`, rotated);
      await team.owner.query(
        `delete from commerce.tokens where site_id = $1 and kind = 'api_key' and description = 'Proof'`,
        [team.site.site_id],
      );
    }
  }
}
