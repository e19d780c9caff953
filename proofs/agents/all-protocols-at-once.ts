import { freePort } from '../../server/src/db/free-port.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { spendAtOnce, withoutMeans } from './agent-budget-rounds.ts';
import { openShelf, stayWithin } from './agent-category-rounds.ts';
import { AgentArena } from './agent-on-all-protocols.ts';
import { endMidway } from './agent-revocation-rounds.ts';

const PROCESSES = 3;

/**
 * Repeats the races of E1, E5 and E6 with one token that is used over the API, MCP and both transports of UCP
 * concurrently, through three servers.
 */
export const M2: Proof = {
  id: 'M2',
  promise:
    'One token used over all protocols at once never exceeds its budget, leaves its categories, or outlives its revocation.',
  run: (trial) => withDirectory((directory) => race(trial, directory)),
};

async function race(trial: Trial, directory: string): Promise<Figures> {
  const { databaseUrl } = trial;
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const violations = new Violations();
  const servers: ServerProcess[] = [];
  let arena: AgentArena | undefined;
  try {
    for (let i = 0; i < PROCESSES; i += 1) servers.push(await new ServerProcess(await freePort(), env).mustBeReady());
    arena = await AgentArena.open(databaseUrl, servers, violations);
    const figures = await attack(trial, arena);
    for (const { rule, rows } of await brokenInvariants(arena.owner)) {
      violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
    }
    return { ...figures, violations: violations.list };
  } finally {
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
    await arena?.close();
  }
}

async function attack({ size, progress }: Trial, arena: AgentArena): Promise<Omit<Figures, 'violations'>> {
  const { variant_id } = await arena.sell(null);
  const [budgets, parallel] = [pick(size, 3, 150), pick(size, 8, 32)];
  let tried = 0;
  let [cents, confirmed] = [0, 0];
  for (let round = 0; round < budgets; round += 1) {
    const spent = await spendAtOnce(arena, variant_id, parallel, round);
    tried += spent.purchases;
    cents += spent.cents_over;
    confirmed += spent.confirmed;
    progress(`budgets: round ${round + 1} of ${budgets}, ${confirmed} orders, ${cents} cents over`);
  }
  tried += await withoutMeans(arena, variant_id);
  const revocations = pick(size, 5, 120);
  let [before, late] = [0, 0];
  for (let round = 0; round < revocations; round += 1) {
    const ended = await endMidway(arena, variant_id, round);
    tried += ended.after;
    before += ended.before;
    late += ended.late;
    progress(`revocations: round ${round + 1} of ${revocations}, ${before} calls before, ${late} accepted after`);
  }
  const shelf = await openShelf(arena);
  const leaving = pick(size, 1, 40);
  let outside = 0;
  for (let round = 0; round < leaving; round += 1) {
    const kept = await stayWithin(arena, shelf, parallel);
    tried += kept.tried;
    outside += kept.outside;
    progress(`categories: round ${round + 1} of ${leaving}, ${outside} lines outside`);
  }
  const note =
    `${confirmed} orders, cents over a budget: ${cents}; ${revocations} revocations, ${before} calls accepted before and ` +
    `${late} after them; purchases outside of the categories: ${outside}`;
  return { tried, unit: 'purchases and calls by four ways', note };
}
