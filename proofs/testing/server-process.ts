import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
/**
 * The cache of compiled code. A server that exits normally stores its code here, because compiling takes most of a
 * start.
 */
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
   * Starts the process, without waiting until it is ready. Adds PATH, HOME, PORT and the cache of compiled code to
   * `env`. `preload` is a file of this folder that is loaded first, for `order`.
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

  /** Everything written to stdout: the log and, outside production, the startup banner. */
  get output(): string {
    return this.#output;
  }

  /** Everything written to stderr. */
  get errors(): string {
    return this.#errors;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Waits until `/readyz` returns 200. Returns false if that takes more than half a minute, or if the process ends
   * first.
   */
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

  /** Waits until the process is ready. After half a minute, kills the process and throws. */
  async mustBeReady(): Promise<this> {
    if (await this.ready()) return this;
    await this.end('SIGKILL');
    throw new Error(`The server did not start:\n${this.errors}\n${this.output.slice(-2_000)}`);
  }

  /**
   * Resolves when the process is ready, even if that takes minutes on a busy machine. Throws if the process ends first.
   */
  async readyAtLast(): Promise<this> {
    while (this.running) if (await this.ready()) return this;
    const end = this.#child.signalCode ?? this.#child.exitCode;
    throw new Error(`The server did not start (${end}):\n${this.errors}\n${this.output.slice(-2_000)}`);
  }

  /** Sends a command to the preloaded file. `hear` gets each message of the process until the next command. */
  order<News>(order: object, hear: (news: News) => void): void {
    this.#child.removeAllListeners('message').on('message', (news) => hear(news as News));
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  /** Sends a signal and waits until the process has ended. Returns how it ended and the duration in milliseconds. */
  async end(signal: NodeJS.Signals): Promise<Exit & { milliseconds: number }> {
    const started = performance.now();
    this.#child.kill(signal);
    const exit = await this.exited;
    return { ...exit, milliseconds: performance.now() - started };
  }
}

/** The result of a server command; `code` is undefined if it did not end in time and was killed. */
export interface Ended {
  code: number | null | undefined;
  output: string;
}

/** Runs a command such as `migrate`, with the environment of a ServerProcess except PORT. */
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

/**
 * Runs work with a new directory, which is removed afterwards. Other users may enter the directory, because a
 * PostgreSQL in it may run as another user.
 */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'commerce-proof-'));
  await chmod(directory, 0o755);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Runs one statement with the login in the URL. */
export async function asOwner(databaseUrl: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Ignores errors while the connection closes, which would otherwise end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
