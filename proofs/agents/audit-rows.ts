import { randomUUID } from 'node:crypto';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { publishProfile } from '../../server/test/ucp.ts';
import { bearer, newCustomer, openAgent } from '../testing/agents.ts';
import { callTool } from '../testing/mcp.ts';
import { type Proof, pick, type Trial } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange, targetOf } from '../testing/raw-requests.ts';
import { mutationsIn } from '../testing/request-mutations.ts';
import { slotsOf } from '../testing/request-values.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { type Asked, askOverMcp, askOverRest, type Speaker, validAsks } from '../testing/ucp.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Sends valid and invalid calls, and calls to unknown paths, with active, revoked and expired tokens. Each must add one
 * row to the audit; only UCP requests that run several operations may add more.
 */
export const E8: Proof = {
  id: 'E8',
  promise: 'Every call with an agent token adds exactly one row to the audit, and no row can be changed or removed.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      const customer = await newCustomer(world, tenant);
      let tried = 0;
      for (const state of ['active', 'revoked', 'expired'] as const) {
        const agent = await openAgent(world, tenant, customer.id);
        await ENDS[state]?.(world, tenant, agent.id);
        const ids: string[] = [];
        for (const operation of operationTable.filter(({ surface }) => surface === 'agent')) {
          // Skips the revocation of the token, which would end the round.
          if (operation.id === 'agent.revokeToken') continue;
          const call = await validCall(world, tenant, operation);
          const slots = slotsOf(operation, call.body).filter((slot) => slot.in !== 'header');
          const wrong = slots.flatMap((slot) => mutationsIn(call, slot)).map((mutation) => mutation.call);
          const calls = [call, ...chance.some(wrong, pick(trial.size, 1, 60))];
          for (const one of calls) ids.push(await sendOnRecord(world, tenant, one, agent.secret));
          for (const one of calls) ids.push(await useOnRecord(world, tenant, one, agent.secret));
        }
        for (const [method, path] of NOWHERE) {
          const id = randomUUID();
          const headers = { ...bearer(agent.secret), 'X-Request-Id': id };
          world.look(await exchange(world.baseUrl, method, path, headers), tenant, path);
          ids.push(id);
        }
        const speaking = { ...agent, customer_id: customer.id };
        const several = await speakOnRecord(trial, world, tenant, speaking, state, ids);
        tried += ids.length + several.length;
        await judge(world, agent.id, ids, several);
      }
      await tryToErase(world, tenant);
      return { tried, unit: 'calls', violations: world.violations.list };
    }),
};

type State = 'active' | 'revoked' | 'expired';

const ENDS: Partial<Record<State, (world: World, tenant: Tenant, id: string) => Promise<unknown>>> = {
  revoked: (world, tenant, agent_token_id) =>
    callAs(world, tenant, 'dashboard.revokeAgentToken', undefined, { agent_token_id }),
  expired: ({ owner }, _tenant, id) =>
    owner.query(`update commerce.tokens set expires_at = now() - interval '1 second' where id = $1`, [id]),
};
const NOWHERE = [
  ['GET', '/api/agent/nowhere'],
  ['PUT', '/api/agent/orders'],
  ['GET', '/api/dashboard/orders'],
  ['POST', '/api/storefront/cart'],
] as const;

async function sendOnRecord(world: World, tenant: Tenant, call: Call, secret: string): Promise<string> {
  const id = randomUUID();
  const headers = { ...call.headers, ...bearer(secret), 'X-Request-Id': id };
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const json: Call['headers'] = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const method = call.operation.method.toUpperCase();
  const reply = await exchange(world.baseUrl, method, targetOf(call), { ...headers, ...json }, body);
  world.look(reply, tenant, call.operation.id);
  return id;
}

/** Makes the call through its MCP tool, and returns the request id. */
async function useOnRecord(world: World, tenant: Tenant, call: Call, secret: string): Promise<string> {
  const id = randomUUID();
  const reply = await callTool(world, tenant, secret, call, { 'X-Request-Id': id });
  world.look(reply, tenant, `${call.operation.id} over MCP`);
  return id;
}

/** UCP functions that always run one operation. The others may run several, each with its own audit row. */
const OF_ONE_OPERATION = ['search_catalog', 'get_cart', 'cancel_cart', 'get_order'];

/**
 * Sends valid and invalid requests over both transports of UCP. Returns the ids of the requests that may add more than
 * one row, and adds the ids of the others to `ids`.
 */
async function speakOnRecord(
  { size, seed }: Trial,
  world: World,
  tenant: Tenant,
  agent: { secret: string; customer_id: string },
  state: State,
  ids: string[],
): Promise<string[]> {
  const profile = await publishProfile();
  const speaker: Speaker = {
    baseUrl: world.baseUrl,
    site_id: tenant.site_id,
    profile: profile.url,
    secret: agent.secret,
  };
  const chance = chanceOf(seed);
  const several: string[] = [];
  try {
    for (const [way, ask] of [askOverRest, askOverMcp].entries()) {
      // With an ended token, the calls use objects of a guest, because the token could not create any.
      const valid = await validAsks(world, tenant, {
        speaker,
        customer_id: agent.customer_id,
        isAlive: state === 'active',
        note: (id) => state === 'active' && several.push(id),
      });
      const wrong = wrongOf(valid);
      for (const asked of [...valid, ...pick(size, chance.some(wrong, 20), wrong)]) {
        const id = randomUUID();
        const reply = await ask(speaker, asked, { 'X-Request-Id': id });
        world.look(reply, tenant, `${asked.name} over UCP`);
        const single = state !== 'active' || OF_ONE_OPERATION.includes(asked.name) || reply.status >= 400;
        (single ? ids : several).push(id);
        if (state !== 'active' && reply.status < 400 && way === 0)
          world.violations.add(`${asked.name} over UCP with a token that is ${state}: ${reply.status}`);
      }
    }
    return several;
  } finally {
    await profile.close();
  }
}

function wrongOf(valid: Asked[]): Asked[] {
  return valid.flatMap((asked) => [
    { ...asked, body: [] },
    { ...asked, body: { line_items: 'x', ids: 'x', id: 7, query: 7, buyer: 7 } },
    ...(asked.id
      ? [
          { ...asked, id: 'x' },
          { ...asked, id: randomUUID() },
        ]
      : []),
    { ...asked, profile: 'http://127.0.0.1:9/' },
    { ...asked, name: 'no_such_function' as Asked['name'] },
  ]);
}

async function judge({ owner, violations }: World, token_id: string, ids: string[], several: string[]): Promise<void> {
  const { rows } = await owner.query<{ correlation_id: string; rows: number }>(
    `select w.id as correlation_id, count(e.id)::int as rows from unnest($2::text[]) as w (id)
     left join commerce.audit_events e on e.correlation_id = w.id and e.actor_type = 'agent' and e.actor_id = $1
     group by w.id`,
    [token_id, [...ids, ...several]],
  );
  for (const row of rows) {
    const fine = row.rows === 1 || (row.rows > 1 && several.includes(row.correlation_id));
    if (!fine) violations.add(`the call ${row.correlation_id} wrote ${row.rows} audit rows instead of 1`);
  }
  const expected = rows.reduce((sum, row) => sum + row.rows, 0);
  const { rowCount } = await owner.query('select from commerce.audit_events where actor_id = $1', [token_id]);
  if (rowCount !== expected)
    violations.add(`${ids.length + several.length} calls left ${rowCount} rows, not ${expected}`);
}

async function tryToErase({ db, violations }: World, { site_id }: Tenant): Promise<void> {
  for (const statement of [
    'update audit_events set status = 200',
    'delete from audit_events',
    'truncate audit_events',
  ]) {
    const connection = await db.connect();
    try {
      await connection.query(`select set_config('app.site_id', $1, false)`, [site_id]);
      await connection.query(statement);
      violations.add(`the role of requests can run this on the audit: ${statement}`);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== '42501') violations.add(`${statement}: expected SQLSTATE 42501 (no privilege), got ${code}`);
    } finally {
      connection.release();
    }
  }
}
