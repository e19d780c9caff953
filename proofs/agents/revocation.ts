import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationTable } from '../../server/src/http/contract/contract.ts';
import { bearer, callOf } from '../testing/agents.ts';
import { callTool } from '../testing/mcp.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { type AgentArena, type Pair, withProcesses } from './agent-on-all-protocols.ts';
import { type AgentAnswer, type Prepared, WAYS, type Way } from './agent-protocols.ts';

/**
 * In each round, an agent calls without pause over all protocols and processes until its token is revoked. The parties
 * that may revoke a token take turns.
 */
export const E5: Proof = {
  id: 'E5',
  promise: 'No process accepts a call of an agent that begins after its revocation was acknowledged.',
  run: (trial) => {
    const [processes, rounds] = pick(trial.size, [2, 5] as const, [8, 120] as const);
    return withProcesses(trial, processes, async (arena) => {
      const { variant_id } = await arena.sell(null);
      let [before, after] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const ended = await endMidway(arena, variant_id, round);
        before += ended.before;
        after += ended.after;
      }
      const note = `${processes} processes, ${rounds} revocations, ${before} calls accepted before them`;
      return { tried: after, unit: 'calls after a revocation', note };
    });
  },
};

export interface Ended {
  /** The number of calls accepted before the revocation. */
  before: number;
  /** The number of calls that began after the response to the revocation. */
  after: number;
  /** The number of late calls that were not refused, and of rows that were written late. Each is a violation. */
  late: number;
}

type Revoke = (arena: AgentArena, pair: Pair, at: string) => Promise<number>;

const REVOKERS: Record<string, Revoke> = {
  'the merchant': ({ site }, { token_id }, at) =>
    drop(at, `/api/dashboard/agent-tokens/${token_id}`, { 'X-API-Key': site.api_key }),
  'the customer': ({ site }, { token_id, customer_token }, at) =>
    drop(at, `/api/storefront/customer/me/agents/${token_id}`, {
      ...{ 'X-Site-ID': site.site_id, 'X-Service-Token': site.storefront_token },
      Authorization: `Bearer ${customer_token}`,
    }),
  'the agent': (_arena, { secret }, at) => drop(at, '/api/agent/token', { Authorization: `Bearer ${secret}` }),
  'the agent over MCP': async ({ site }, { secret }, at) => {
    const call = callOf('agent.revokeToken', bearer(secret));
    const { status, result } = await callTool({ baseUrl: at }, site, secret, call);
    return result?.isError ? 500 : status;
  },
  'the agent by OAuth': async ({ site }, { secret }, at) => {
    const body = new URLSearchParams({ token: secret, token_type_hint: 'access_token' });
    return (await fetch(`${at}/sites/${site.site_id}/oauth/revoke`, { method: 'POST', body })).status;
  },
};

async function drop(at: string, path: string, headers: Record<string, string>): Promise<number> {
  const key = { 'Idempotency-Key': randomUUID() };
  return (await fetch(at + path, { method: 'DELETE', headers: { ...key, ...headers } })).status;
}

const CALLS_AFTER = 3;
/** The maximum wait for a server that only returns errors. */
const WARM_WITHIN_MS = 60_000;

export async function endMidway(arena: AgentArena, variant_id: string, number: number): Promise<Ended> {
  const names = Object.keys(REVOKERS);
  const by = names[number % names.length] ?? '';
  const pair = await arena.newPair(100_000_000);
  const [prepared] = await arena.prepareMany(pair, variant_id, 1);
  const calls = new Calls(arena, pair, prepared as Prepared);
  await calls.warmedUp();
  const status = await REVOKERS[by]?.(arena, pair, arena.at());
  const answered = calls.revoked();
  const at = await arena.now();
  if (status !== 200) arena.violations.add(`the revocation by ${by} got ${status}`);
  await answered;
  for (const late of calls.late) arena.violations.add(`after the revocation by ${by}: ${late}`);
  const written = await writtenAfter(arena, pair, at);
  for (const what of written) arena.violations.add(`after the revocation by ${by}, in the database: ${what}`);
  return { before: calls.accepted, after: calls.refused, late: calls.late.length + written.length };
}

/** Makes calls of each kind, over each protocol and server, as fast as responses arrive. */
class Calls {
  accepted = 0;
  refused = 0;
  readonly late: string[] = [];
  #revoked = false;
  readonly #callers: Promise<void>[];
  readonly #warm = new Set<string>();

  constructor(arena: AgentArena, pair: Pair, prepared: Prepared) {
    this.#callers = WAYS.flatMap((way) => arena.servers.map((at) => this.#callOn(way, at, pair, prepared)));
  }

  async #callOn(way: Way, at: string, { agent }: Pair, prepared: Prepared): Promise<void> {
    const actions: (() => Promise<AgentAnswer>)[] = [
      () => agent.read(way, at),
      () => agent.buy(way, at, prepared.variant_id),
      () => agent.grow(way, at, prepared, 1 + Math.floor(Math.random() * 3)),
    ];
    for (let [n, after] = [0, 0]; after < CALLS_AFTER; n += 1) {
      const begunAfter = this.#revoked;
      const { status, error, text } = await (actions[n % actions.length] as () => Promise<AgentAnswer>)();
      if (begunAfter) {
        after += 1;
        this.refused += 1;
        if (error === undefined || !ENDED.includes(error)) this.late.push(`${way}: ${status} ${text.slice(0, 300)}`);
      } else if (error === undefined) {
        this.accepted += 1;
        this.#warm.add(`${way} ${at}`);
      }
    }
  }

  /** Resolves when each server has accepted a call over each protocol. */
  async warmedUp(): Promise<void> {
    const end = Date.now() + WARM_WITHIN_MS;
    while (this.#warm.size < this.#callers.length) {
      if (Date.now() > end) throw new Error(`Only ${[...this.#warm].join(', ')} were ever accepted.`);
      await sleep(5);
    }
  }

  /**
   * To be called after the revocation: calls that begin from now on must be refused. Resolves when each caller has made
   * some calls.
   */
  async revoked(): Promise<void> {
    this.#revoked = true;
    await Promise.all(this.#callers);
  }
}

const ENDED = ['invalid_token', 'unauthorized'];

/**
 * The operations that write. Only their audit rows have the time when the transaction began; those of reads have the
 * time when the row was written, which may be after the revocation.
 */
const CHANGES = operationTable.filter(({ safe }) => !safe).map(({ id }) => id);

/** Lists rows that the agent's writes created after this time, although no write should have been accepted. */
async function writtenAfter({ owner, site }: AgentArena, { token_id }: Pair, at: string): Promise<string[]> {
  const { rows } = await owner.query<{ what: string }>(
    `select action || ' ' || status as what from commerce.audit_events
       where site_id = $1 and actor_type = 'agent' and actor_id = $2 and created_at > $3 and status < 400
         and action = any($4)
     union all select 'a cart' from commerce.carts where site_id = $1 and agent_token_id = $2 and created_at > $3
     union all select 'a checkout' from commerce.checkouts
       where site_id = $1 and agent_token_id = $2 and greatest(created_at, updated_at) > $3`,
    [site.site_id, token_id, at, CHANGES],
  );
  return rows.map(({ what }) => what);
}
