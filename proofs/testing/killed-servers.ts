import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import type { Gate } from './gate.ts';
import { type Trial, Violations } from './proof.ts';
import { chanceOf } from './random.ts';
import { ServerProcess, withDirectory } from './server-process.ts';

/** Clients that make calls without pause and record the responses. */
export interface Workers {
  /** Each call passes this gate before its first attempt. */
  readonly gate: Gate;
  begin(): void;
  /** Waits for this many more responses, or for an error. */
  moreAnswers(count: number): Promise<void>;
  /** Lets all clients finish their current work. */
  rest(): Promise<void>;
  /** Compares the responses with the database. To be called when all work has stopped. */
  judge(violations: Violations): Promise<void>;
  /** A summary of the work, for the report. */
  summary(): string;
}

/** A server is killed at a random moment, after at most this many responses. */
const MOST_ANSWERS_PER_LIFE = 60;
const LONGEST_WAIT_MS = 20;
/** The responses are compared with the database after this many kills. */
const KILLS_PER_BATCH = 20;

/** Kills servers one after the other at any moment of their work, while the next server is already running. */
export function killServers(
  trial: Trial,
  goal: number,
  open: (servers: () => string[]) => Promise<Workers>,
): Promise<{ violations: string[]; note: string }> {
  return withDirectory((directory) => attack(trial, directory, goal, open));
}

async function attack(
  { size, seed, databaseUrl, progress }: Trial,
  directory: string,
  goal: number,
  open: (servers: () => string[]) => Promise<Workers>,
) {
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    // The short form runs no background jobs, because they would also process the data of other tests.
    ROLE: size === 'short' ? 'api' : 'all',
  };
  const violations = new Violations();
  const chance = chanceOf(seed);
  const start = async () => new ServerProcess(await freePort(), env);
  // Only a server that exits normally stores its compiled code. Compiling takes most of a start.
  await (await (await start()).readyAtLast()).end('SIGTERM');
  let victim = await (await start()).readyAtLast();
  let heir = await start();
  let servers = [victim.baseUrl];
  let workers: Workers | undefined;
  try {
    workers = await open(() => servers);
    let kills = 0;
    while (kills < goal) {
      workers.begin();
      for (const end = Math.min(goal, kills + KILLS_PER_BATCH); kills < end; kills += 1) {
        await heir.readyAtLast();
        servers = [victim.baseUrl, heir.baseUrl];
        workers.gate.open();
        await workers.moreAnswers(Math.ceil(chance.next() * MOST_ANSWERS_PER_LIFE));
        await sleep(chance.next() * LONGEST_WAIT_MS);
        const { code } = await victim.end('SIGKILL');
        if (code !== null) violations.add(`A server exited on its own with ${code}: ${victim.errors}`);
        servers = [heir.baseUrl];
        victim = heir;
        // While the gate is closed, only callers whose call was interrupted continue. New calls would delay the start
        // of the next server.
        workers.gate.close();
        heir = await start();
      }
      workers.gate.open();
      await workers.rest();
      await workers.judge(violations);
      progress(`${kills} of ${goal}; ${workers.summary()}, ${violations.list.length} violations`);
    }
    return { violations: violations.list, note: workers.summary() };
  } finally {
    workers?.gate.open();
    await workers?.rest();
    await Promise.all([victim.end('SIGKILL'), heir.end('SIGKILL')]);
  }
}
