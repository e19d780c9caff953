/** The agents of E11 (with all scopes, with one missing, ended) and its storefront tokens with one scope missing. */

import { randomUUID } from 'node:crypto';
import { mintToken } from '../../server/src/shop/tokens.ts';
import { newCustomer, openAgent, SCOPES } from '../testing/agents.ts';
import type { Call } from '../testing/raw-requests.ts';
import type { Tenant, World } from '../testing/tenant.ts';

export interface Agent {
  id: string;
  secret: string;
}

/** Returns the agent that owns the objects in the call. */
export async function ownAgent(world: World, tenant: Tenant, call: Call): Promise<Agent> {
  // If the call revokes its own token, that token was created only for this call.
  const given = String(call.headers.Authorization ?? '').replace('Bearer ', '');
  const secret = call.operation.id === 'agent.revokeToken' ? given : tenant.secrets.AgentToken;
  const { rows } = await world.owner.query<{ id: string }>(
    `select id from commerce.tokens where token_hash = sha256($1::bytea)`,
    [Buffer.from(secret)],
  );
  return { id: rows[0]?.id ?? '', secret };
}

export interface AgentsByScope {
  whole: Agent;
  /** Returns the agent that has all scopes except this one. */
  without(scope: string): Agent;
}

/** All agents belong to one customer, who may have at most ten. */
export async function agentsByScope(world: World, tenant: Tenant): Promise<AgentsByScope> {
  const { id } = await newCustomer(world, tenant);
  const whole = await openAgent(world, tenant, id);
  const lacking = new Map<string, Agent>();
  for (const scope of SCOPES) {
    const scopes = SCOPES.filter((one) => one !== scope);
    lacking.set(scope, await openAgent(world, tenant, id, 1_000_000, { scopes }));
  }
  return { whole, without: (scope) => lacking.get(scope) ?? whole };
}

/** Creates a storefront token that lacks this scope. Returns the tenant with that token. */
export async function narrowStorefront({ owner }: World, tenant: Tenant, scope: string): Promise<Tenant> {
  const secret = mintToken('storefront');
  await owner.query(
    `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes)
     values ($1, gen_random_uuid(), 'storefront', sha256($2::bytea), left($3, 8), 'narrow',
       array_remove(array['catalog:read', 'cart:write', 'checkout:create', 'customer:auth'], $4))`,
    [tenant.site_id, Buffer.from(secret), secret, scope],
  );
  return { ...tenant, secrets: { ...tenant.secrets, StorefrontToken: secret } };
}

export interface DeadAgent extends Agent {
  why: string;
  /** The number of audit rows that a call adds: none for a token that never existed. */
  rows: number;
}

export async function deadAgents(world: World, tenant: Tenant): Promise<DeadAgent[]> {
  const [, other] = world.tenants;
  const foreign = await openAgent(world, other, (await newCustomer(world, other)).id);
  const { id: customer_id } = await newCustomer(world, tenant);
  const ended = async (why: string, end: string) => {
    const agent = await openAgent(world, tenant, customer_id);
    await world.owner.query(`update commerce.tokens set ${end} where id = $1`, [agent.id]);
    if (why === 'revoked') {
      await world.owner.query(`update commerce.agent_tokens set revoked_by = 'merchant' where id = $1`, [agent.id]);
    }
    return { ...agent, why, rows: 1 };
  };
  return [
    { id: randomUUID(), secret: mintToken('agent'), why: 'never issued', rows: 0 },
    { ...foreign, why: 'of another shop', rows: 1 },
    await ended('revoked', 'revoked_at = now()'),
    await ended('expired', `expires_at = now() - interval '1 second'`),
  ];
}
