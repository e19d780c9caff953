import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runningEmbeddedUrl } from '../../server/src/db/embedded-running.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { Shoppers } from './shoppers.ts';

/** The server is killed at a random moment, after at most this many responses. */
const MOST_ANSWERS_PER_LIFE = 60;

/**
 * Kills the processes of a server with an embedded database in different ways, and also starts two servers at the same
 * moment.
 */
export const C12: Proof = {
  id: 'C12',
  promise:
    'After kill -9 the embedded database loses nothing and starts without human help, and two processes never open it at once.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

/** The event between two runs of the server. */
type Fate = 'server killed' | 'both killed' | 'both killed, pid recycled' | 'rival at the same moment';

const FATES: Fate[] = ['server killed', 'both killed', 'both killed, pid recycled', 'rival at the same moment'];

async function attack({ size, seed, progress }: Trial, directory: string) {
  const installation = new Installation(directory);
  const violations = new Violations();
  const random = chanceOf(seed);
  const kills = pick(size, 2, 100);
  try {
    const first = await installation.open();
    await judgeSecondServer(installation, first, violations);
    const shoppers = await Shoppers.open({
      get databaseUrl() {
        return installation.superuserUrl;
      },
      servers: () => installation.urls,
      shoppers: 4,
      seed,
    });
    shoppers.begin();
    for (let kill = 0; kill < kills; kill += 1) {
      const fate = FATES[(seed + kill) % FATES.length] as Fate;
      progress(`${kill} of ${kills}: ${fate}; ${shoppers.summary()}`);
      await shoppers.moreAnswers(Math.ceil(random.next() * MOST_ANSWERS_PER_LIFE));
      await installation.kill(fate);
      if (!(await installation.reopen(fate)))
        violations.add(`${fate}: the next start failed and needs manual repair:\n${installation.lastWords}`);
      const postmasters = installation.postmasters();
      if (postmasters.length > 1) violations.add(`${fate}: ${postmasters.length} postmasters on one directory`);
    }
    await shoppers.rest();
    // If no server runs, which is already a violation, nothing can be read.
    if (installation.urls.length > 0) await shoppers.judge(violations);
    const note = `${shoppers.summary()}; second server refused`;
    return { tried: kills, unit: 'kill -9', violations: violations.list, note };
  } finally {
    await installation.close();
  }
}

/** A data directory and the processes that use it. */
class Installation {
  readonly #directory: string;
  #server: ServerProcess | undefined;
  #stranger: ChildProcess | undefined;
  lastWords = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  get urls(): string[] {
    return this.#server ? [this.#server.baseUrl] : [];
  }

  /** The URL of a login that bypasses row-level security. It changes when PostgreSQL starts again. */
  get superuserUrl(): string {
    return Object.assign(new URL(runningEmbeddedUrl(this.#directory)), { username: 'postgres' }).href;
  }

  async open(): Promise<ServerProcess> {
    this.#server = await (await this.newServer()).readyAtLast();
    return this.#server;
  }

  async newServer(): Promise<ServerProcess> {
    const env = { DATA_DIR: this.#directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' };
    return new ServerProcess(await freePort(), env);
  }

  async kill(fate: Fate): Promise<void> {
    const isBoth = fate.startsWith('both killed');
    const postmasters = isBoth ? this.postmasters() : [];
    const ended = this.#server?.end('SIGKILL');
    // Kills both at the same moment. Otherwise PostgreSQL could write everything to disk before it is killed.
    for (const pid of postmasters) process.kill(pid, 'SIGKILL');
    await ended;
    if (!isBoth) return;
    while (this.postmasters().length > 0) await new Promise((done) => setTimeout(done, 10));
    if (fate === 'both killed, pid recycled') this.#recyclePid();
  }

  /** Starts a new server, or two at the same time. Returns whether exactly one of them runs. */
  async reopen(fate: Fate): Promise<boolean> {
    const rivals = fate === 'rival at the same moment' ? 2 : 1;
    const servers = await Promise.all(Array.from({ length: rivals }, () => this.newServer()));
    const ready = await Promise.all(servers.map(startsAtLast));
    this.lastWords = servers.map(({ errors, output }) => errors + output.slice(-1_000)).join('\n');
    this.#server = servers.find((_, i) => ready[i]);
    this.#stranger?.kill('SIGKILL');
    this.#stranger = undefined;
    await Promise.all(servers.filter((server) => server !== this.#server).map((server) => server.end('SIGKILL')));
    return ready.filter(Boolean).length === 1;
  }

  /**
   * Returns the processes that have opened the database cluster. Excludes a child that still looks like its parent just
   * after the fork.
   */
  postmasters(): number[] {
    const place = join(this.#directory, 'postgres');
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const opened = pids.map(Number).filter((pid) => {
      const [program = '', ...rest] = commandOf(pid);
      return program.endsWith('/postgres') && rest.includes(place);
    });
    return opened.filter((pid) => !opened.includes(parentOf(pid)));
  }

  async close(): Promise<void> {
    this.#stranger?.kill('SIGKILL');
    if (this.#server?.running) await this.#server.end('SIGTERM');
    for (const pid of this.postmasters()) process.kill(pid, 'SIGKILL');
  }

  /** Writes the process id of another program of the same user into postmaster.pid, as may happen after a reboot. */
  #recyclePid(): void {
    const file = join(this.#directory, 'postgres', 'postmaster.pid');
    const [, ...rest] = readFileSync(file, 'utf8').split('\n');
    const { uid, gid } = statSync(file);
    this.#stranger = spawn('sleep', ['600'], { stdio: 'ignore', uid, gid });
    writeFileSync(file, [this.#stranger.pid, ...rest].join('\n'));
  }
}

/** Whether the server becomes ready, at most after two minutes, because a busy machine recovers a database slowly. */
async function startsAtLast(server: ServerProcess): Promise<boolean> {
  for (let tries = 0; tries < 4 && server.running; tries += 1) if (await server.ready()) return true;
  return false;
}

function commandOf(pid: number): string[] {
  return readProc(pid, 'cmdline').split('\0');
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 0);
}

/** Returns the contents of a file in /proc; an empty text if the process has ended. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A second server on the directory must exit with one line, and the first must continue. */
async function judgeSecondServer(
  installation: Installation,
  first: ServerProcess,
  violations: Violations,
): Promise<void> {
  const second = await installation.newServer();
  if (await second.ready()) violations.add('A second server started on the same directory');
  const { code } = await second.end('SIGKILL');
  const lines = second.errors.trim().split('\n');
  if (code === 0) violations.add('The second server exited with 0 instead of an error');
  if (lines.length !== 1 || !/in use by another server/.test(second.errors)) {
    violations.add(`The second server did not report "in use by another server" in one line: ${second.errors}`);
  }
  const answer = await fetch(`${first.baseUrl}/readyz`);
  if (answer.status !== 200)
    violations.add(`/readyz of the first server: expected 200 after the second was rejected, got ${answer.status}`);
}
