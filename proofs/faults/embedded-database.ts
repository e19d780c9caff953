import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { sendUntilAnswered } from '../testing/retrying-client.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';

const WRITERS = 4;
const ANSWER_WITHIN_MS = 60_000;
const MOST_ROWS_PER_LIFE = 12;

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
    const writers = await Writers.begin(installation);
    for (let kill = 0; kill < kills; kill += 1) {
      const fate = FATES[(seed + kill) % FATES.length] as Fate;
      progress(`${kill} of ${kills}: ${fate}; ${writers.acknowledged.size} rows acknowledged`);
      await writers.write(Math.ceil(random.next() * MOST_ROWS_PER_LIFE));
      await installation.kill(fate);
      if (!(await installation.reopen(fate)))
        violations.add(`${fate}: the next start failed and needs manual repair:\n${installation.lastWords}`);
      const postmasters = installation.postmasters();
      if (postmasters.length > 1) violations.add(`${fate}: ${postmasters.length} postmasters on one directory`);
    }
    await writers.end(violations);
    // Without a server, which is a violation already, the rows cannot be read.
    if (installation.urls.length > 0) await judgeRows(installation, writers, violations);
    const note = `${writers.acknowledged.size} rows acknowledged in between and all found, none twice; second server refused`;
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

  async open(): Promise<ServerProcess> {
    this.#server = await (await this.newServer()).mustBeReady();
    return this.#server;
  }

  /** Starts a server, which writes the credentials of its demo shop to the directory. */
  async newServer(): Promise<ServerProcess> {
    return new ServerProcess(await freePort(), { DATA_DIR: this.#directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn' });
  }

  async demo(): Promise<{ api_key: string }> {
    return JSON.parse(await readFile(join(this.#directory, 'demo.json'), 'utf8'));
  }

  async kill(fate: Fate): Promise<void> {
    const postmasters = this.postmasters();
    await this.#server?.end('SIGKILL');
    if (!fate.startsWith('both killed')) return;
    for (const pid of postmasters) process.kill(pid, 'SIGKILL');
    while (this.postmasters().length > 0) await new Promise((done) => setTimeout(done, 10));
    if (fate === 'both killed, pid recycled') this.#recyclePid();
  }

  /** Starts a new server, or two at the same time. Returns whether exactly one of them runs. */
  async reopen(fate: Fate): Promise<boolean> {
    const rivals = fate === 'rival at the same moment' ? 2 : 1;
    const servers = await Promise.all(Array.from({ length: rivals }, () => this.newServer()));
    const ready = await Promise.all(servers.map((server) => server.ready()));
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

/** Creates products without pause. Retries each request until it is acknowledged. */
class Writers {
  /** The ids of the acknowledged products, by name. */
  readonly acknowledged = new Map<string, string>();
  readonly #refused: string[] = [];
  #stopped = false;
  #work: Promise<unknown> = Promise.resolve();

  static async begin(installation: Installation): Promise<Writers> {
    const writers = new Writers();
    const { api_key } = await installation.demo();
    writers.#work = Promise.all(Array.from({ length: WRITERS }, (_, i) => writers.#write(installation, api_key, i)));
    return writers;
  }

  /**
   * Waits until this many more products are acknowledged, or one is rejected. At that moment, the next product is being
   * written.
   */
  async write(rows: number): Promise<void> {
    const goal = this.acknowledged.size + rows;
    while (this.acknowledged.size < goal && this.#refused.length === 0) {
      await new Promise((done) => setTimeout(done, 1));
    }
  }

  async end(violations: Violations): Promise<void> {
    this.#stopped = true;
    await this.#work;
    for (const refusal of this.#refused) violations.add(refusal);
  }

  async #write(installation: Installation, apiKey: string, writer: number): Promise<void> {
    for (let count = 0; !this.#stopped; count += 1) {
      const name = `${NAME_PREFIX} ${writer}-${count}`;
      const call = {
        method: 'POST' as const,
        path: '/api/dashboard/products',
        headers: { 'X-API-Key': apiKey },
        body: { name, price: '1.00' },
      };
      try {
        const { status, body } = await sendUntilAnswered(() => installation.urls, call, ANSWER_WITHIN_MS);
        if (status === 201) this.acknowledged.set(name, (JSON.parse(body) as { id: string }).id);
        else this.#refused.push(`${name}: expected 201 despite restarts, got ${status} ${body}`);
      } catch (error) {
        this.#refused.push((error as Error).message);
      }
    }
  }
}

const NAME_PREFIX = 'Written under fire';
const PAGE = 100;

/** Expects that each acknowledged product exists exactly once. */
async function judgeRows(installation: Installation, { acknowledged }: Writers, violations: Violations): Promise<void> {
  const { api_key } = await installation.demo();
  const found = new Map<string, string[]>();
  for (let page = 1; ; page += 1) {
    const path = `/api/dashboard/products?page=${page}&limit=${PAGE}`;
    const call = { method: 'GET' as const, path, headers: { 'X-API-Key': api_key } };
    const { status, body } = await sendUntilAnswered(() => installation.urls, call, ANSWER_WITHIN_MS);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    const { products } = JSON.parse(body) as { products: { id: string; name: string }[] };
    for (const { id, name } of products) found.set(name, [...(found.get(name) ?? []), id]);
    if (products.length < PAGE) break;
  }
  for (const [name, id] of acknowledged) {
    const ids = found.get(name) ?? [];
    if (!ids.includes(id)) violations.add(`${name} was acknowledged, but does not exist`);
    if (ids.length > 1) violations.add(`${name} exists ${ids.length} times instead of once`);
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
