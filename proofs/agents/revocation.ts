import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';

type Site = Awaited<ReturnType<typeof openTenant>>;

/**
 * In each round, an agent calls several processes without pause until the merchant, the customer or the agent itself
 * revokes its token.
 */
export const E5: Proof = {
  id: 'E5',
  promise: 'No process accepts a call of an agent that begins after its revocation was acknowledged.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string) {
  const [processes, rounds] = pick(size, [2, 6] as const, [8, 120] as const);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const site = await openTenant(databaseUrl);
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 2 }));
  const violations = new Violations();
  const servers: ServerProcess[] = [];
  let [before, after] = [0, 0];
  try {
    for (let i = 0; i < processes; i += 1) servers.push(await new ServerProcess(await freePort(), env).mustBeReady());
    for (let round = 0; round < rounds; round += 1) {
      const agent = await givenAgent(owner, site);
      const by = REVOKERS[round % REVOKERS.length] ?? 'merchant';
      const calls = new Calls(servers, agent.secret);
      await calls.warmedUp();
      const at = servers[round % servers.length] as ServerProcess;
      const status = await revoke(at, site, agent, by);
      calls.acknowledged();
      await calls.end();
      if (status !== 200) violations.add(`the revocation by the ${by} got ${status}`);
      for (const late of calls.late) violations.add(`after the revocation by the ${by}: ${late}`);
      before += calls.accepted;
      after += calls.refused;
      progress(`round ${round + 1} of ${rounds}: ${after} calls after it, ${calls.late.length} accepted`);
    }
  } finally {
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
    await owner.end();
  }
  const note = `${processes} processes, ${rounds} revocations, ${before} calls accepted before them`;
  return { tried: after, unit: 'calls after a revocation', violations: violations.list, note };
}

const REVOKERS = ['merchant', 'customer', 'agent'] as const;

interface Agent {
  id: string;
  secret: string;
  customer_token: string;
}

/** Inserts an agent and its customer with a session. */
async function givenAgent(owner: pg.Pool, { site_id }: Site): Promise<Agent> {
  const [customer_id, id] = [randomUUID(), randomUUID()];
  const [secret, customer_token] = [mintToken('agent'), mintToken('customer')];
  passwordHash ??= hashPassword('a password of the proofs');
  await owner.query(
    `insert into commerce.customers (site_id, id, email, password_hash, email_verified_at) values ($1, $2, $3, $4, now())`,
    [site_id, customer_id, `${customer_id}@example.com`, await passwordHash],
  );
  await owner.query(
    `insert into commerce.customer_tokens (site_id, id, session_id, customer_id, token_hash, expires_at, renewable_until)
     values ($1, $2, $2, $3, $4, now() + interval '60 minutes', now() + interval '30 days')`,
    [site_id, randomUUID(), customer_id, hashToken(customer_token)],
  );
  await owner.query(
    `insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, expires_at, customer_id)
     values ($1, $2, 'agent', $3, 'agt', 'An agent', '{customer:self}', now() + interval '1 day', $4)`,
    [site_id, id, hashToken(secret), customer_id],
  );
  await owner.query(
    'insert into commerce.agent_tokens (site_id, id, consent_id, budget_cents) values ($1, $2, $3, 0)',
    [site_id, id, randomUUID()],
  );
  return { id, secret, customer_token };
}

let passwordHash: Promise<string> | undefined;

async function revoke(server: ServerProcess, site: Site, agent: Agent, by: (typeof REVOKERS)[number]): Promise<number> {
  const ways: Record<typeof by, [path: string, headers: Record<string, string>]> = {
    merchant: [`/api/dashboard/agent-tokens/${agent.id}`, { 'X-API-Key': site.api_key }],
    customer: [
      `/api/storefront/customer/me/agents/${agent.id}`,
      {
        'X-Site-ID': site.site_id,
        'X-Service-Token': site.storefront_token,
        Authorization: `Bearer ${agent.customer_token}`,
      },
    ],
    agent: ['/api/agent/token', { Authorization: `Bearer ${agent.secret}` }],
  };
  const [path, headers] = ways[by];
  const key = { 'Idempotency-Key': randomUUID() };
  const { status } = await fetch(`${server.baseUrl}${path}`, { method: 'DELETE', headers: { ...key, ...headers } });
  return status;
}

const CALLERS_PER_PROCESS = 2;
const CALLS_AFTER = 5;

/** Calls as one agent through every process, as fast as responses arrive. */
class Calls {
  accepted = 0;
  refused = 0;
  readonly late: string[] = [];
  #revoked = false;
  readonly #callers: Promise<void>[];

  constructor(servers: ServerProcess[], secret: string) {
    this.#callers = servers.flatMap((server) =>
      Array.from({ length: CALLERS_PER_PROCESS }, () => this.#call(server, secret)),
    );
  }

  async #call(server: ServerProcess, secret: string): Promise<void> {
    for (let after = 0; after < CALLS_AFTER; ) {
      const begunAfter = this.#revoked;
      const headers = { Authorization: `Bearer ${secret}` };
      const { status } = await fetch(`${server.baseUrl}/api/agent/customer/me`, { headers });
      if (!begunAfter) {
        if (status === 200) this.accepted += 1;
        continue;
      }
      after += 1;
      this.refused += 1;
      if (status !== 401) this.late.push(`a call got ${status}`);
    }
  }

  /**
   * Resolves when the agent's accepted calls are three times as many as its callers, so that most or all processes have
   * served the agent.
   */
  async warmedUp(): Promise<void> {
    while (this.accepted < this.#callers.length * 3) await new Promise((done) => setTimeout(done, 5));
  }

  acknowledged(): void {
    this.#revoked = true;
  }

  async end(): Promise<void> {
    await Promise.all(this.#callers);
  }
}
