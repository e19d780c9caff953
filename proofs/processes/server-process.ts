import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
/** Most of a start is compiling; a server that exits normally stores its compiled code. */
export const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
const READY_WITHIN_MS = 30_000;
const POLL_MS = 20;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** `commerce-server start` in a separate process, as an operator would run it. */
export class ServerProcess {
  readonly port: number;
  readonly baseUrl: string;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #output = '';
  #errors = '';

  /**
   * Starts it; `ready` returns whether it becomes ready. The environment contains the given variables, and the cache of compiled
   * code. A file of this folder may be loaded before it, for `order`.
   */
  constructor(port: number, env: Record<string, string | undefined>, preload?: string) {
    this.port = port;
    this.baseUrl = `http://127.0.0.1:${port}`;
    const { PATH, HOME } = process.env;
    const before = preload ? ['--import', fileURLToPath(new URL(preload, import.meta.url))] : [];
    this.#child = spawn(process.execPath, [...before, MAIN, 'start'], {
      env: { PATH, HOME, PORT: String(port), NODE_COMPILE_CACHE: COMPILED, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(preload ? ['ipc' as const] : [])],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.exited = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ code, signal })));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** All it wrote to stdout: the log, and outside production the greeting. */
  get output(): string {
    return this.#output;
  }

  /** All it wrote to stderr. */
  get errors(): string {
    return this.#errors;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether `/readyz` returns 200 before the process ends and within half a minute. */
  async ready(): Promise<boolean> {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (this.running && Date.now() < deadline) {
      const answer = await fetch(`${this.baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
        () => undefined,
      );
      if (answer?.status === 200 && this.running) return true;
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
    return false;
  }

  /** Like `ready`, but throws on failure. */
  async mustBeReady(): Promise<this> {
    if (await this.ready()) return this;
    await this.end('SIGKILL');
    throw new Error(`The server did not start:\n${this.errors}\n${this.output.slice(-2_000)}`);
  }

  /** Resolves when it is ready, however long that takes on a busy machine. Throws when it ends before. */
  async readyAtLast(): Promise<this> {
    while (this.running) if (await this.ready()) return this;
    const end = this.#child.signalCode ?? this.#child.exitCode;
    throw new Error(`The server did not start (${end}):\n${this.errors}\n${this.output.slice(-2_000)}`);
  }

  /** Sends an order to the file that was loaded before the server; `hear` gets its messages until the next order. */
  order<News>(order: object, hear: (news: News) => void): void {
    this.#child.removeAllListeners('message').on('message', (news) => hear(news as News));
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  /** Sends a signal and waits for the end; returns the duration in milliseconds. */
  async end(signal: NodeJS.Signals): Promise<Exit & { milliseconds: number }> {
    const started = performance.now();
    this.#child.kill(signal);
    const exit = await this.exited;
    return { ...exit, milliseconds: performance.now() - started };
  }
}

/** How a command of the server ended; `code` is undefined when it had to be ended because it did not end in time. */
export interface Ended {
  code: number | null | undefined;
  output: string;
}

/** Runs a command such as `migrate`, in an environment as ServerProcess has it. */
export async function runCommand(
  args: string[],
  env: Record<string, string | undefined>,
  withinMs: number,
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, withinMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code: hung ? undefined : code, output };
}

/** A new directory that is removed afterwards. Others may enter it: below it, the database belongs to another user. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'commerce-proof-'));
  await chmod(directory, 0o755);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Runs one statement as the login that the URL names. */
export async function asOwner(databaseUrl: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Ended from outside while it closes, it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
