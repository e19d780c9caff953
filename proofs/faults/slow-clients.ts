import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { rawRequest } from '../testing/raw-http.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { judgeReads } from './reads-under-load.ts';

/** The limit that docs/limits.md promises for a process. */
const MAX_CONNECTIONS = 4_096;
/** The limit for the p99 of catalogue reads. Checked in the full form only, which needs an idle machine. */
const GOAL_MS = 50;
const READS_A_SECOND = 50;
/** A new server compiles code during its first requests. */
const WARM_UP_SECONDS = 2;
/** The open files that are not connections of clients: those of the pool, the log and Node. */
const FILES_OF_ITS_OWN = 64;

/** The number of connections opened before each pause, so that all are open within three seconds. */
const AT_ONCE = 25;
const PAUSE_MS = 10;

/**
 * Slow clients send their headers or body byte by byte, and silent ones open more connections than the server keeps, while
 * others browse the catalogue.
 */
export const I2: Proof = {
  id: 'I2',
  promise: 'Slow clients and thousands of silent connections do not delay other clients, and are disconnected in time.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  const violations = new Violations();
  const crowd = new Crowd(server.port);
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const [silent, dawdling] = [pick(size, 4_500, 5_000), pick(size, 50, 500)];
  const body = { ...headers, 'Content-Type': 'application/json', 'Content-Length': '1000' };
  try {
    await read(server, headers, WARM_UP_SECONDS);
    const atRest = await read(server, headers, pick(size, 2, 5));
    const files = OpenFiles.of(server.pid);
    crowd.dribble();
    const coming = (async () => {
      await crowd.open(dawdling, 'GET /api/storefront/products HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      await crowd.open(dawdling, `${rawRequest('POST', '/api/storefront/checkout', body)}{`);
      await crowd.open(silent, '');
    })();
    const meanwhile = await read(server, headers, pick(size, 6, 45));
    await coming;
    const kept = await files.end();
    if (kept > MAX_CONNECTIONS + FILES_OF_ITS_OWN) {
      violations.add(`the server had ${kept} files and connections open, for at most ${MAX_CONNECTIONS} connections`);
    }
    progress(`${meanwhile.latency.p99} ms of the catalogue meanwhile, ${atRest.latency.p99} ms at rest`);
    judgeReads(violations, size, meanwhile);
    if (size === 'full' && meanwhile.latency.p99 >= GOAL_MS) {
      violations.add(`p99 of catalogue reads during the attack: ${meanwhile.latency.p99} ms, above the limit`);
    }
    // The server closes a connection without complete headers after 10 s, and one without a complete body after 30 s.
    // It checks every 2 s.
    if (size === 'full' && crowd.opened > 0)
      violations.add(`${crowd.opened} slow connections were not closed within 45 s`);
    const note = `${kept} files and connections of the server at most; catalogue meanwhile p99 ${meanwhile.latency.p99} ms, at rest ${atRest.latency.p99} ms; new connections for every tenth look`;
    return { tried: silent + 2 * dawdling, unit: 'slow connections', violations: violations.list, note };
  } finally {
    crowd.close();
    await server.end('SIGKILL');
  }
}

/** Counts the open files of a process four times a second; connections are files. */
class OpenFiles {
  readonly #watching: Promise<void>;
  #most = 0;
  #over = false;

  private constructor(pid: number) {
    this.#watching = this.#watch(pid);
  }

  static of(pid: number): OpenFiles {
    return new OpenFiles(pid);
  }

  async #watch(pid: number): Promise<void> {
    while (!this.#over) {
      this.#most = Math.max(this.#most, (await readdir(`/proc/${pid}/fd`).catch(() => [])).length);
      await sleep(250);
    }
  }

  /** Stops counting, and returns the highest count. */
  async end(): Promise<number> {
    this.#over = true;
    await this.#watching;
    return this.#most;
  }
}

/** Opens slow connections, which send one byte a second, and silent ones. */
class Crowd {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #dawdlers = new Set<Socket>();
  #over = false;

  constructor(port: number) {
    this.#port = port;
  }

  /** The number of connections that the server has not closed. */
  get opened(): number {
    return this.#sockets.size;
  }

  async open(many: number, beginning: string): Promise<void> {
    for (let n = 0; n < many; n += 1) {
      if (n % AT_ONCE === AT_ONCE - 1) await sleep(PAUSE_MS);
      const socket = connect({ port: this.#port, host: '127.0.0.1' });
      this.#sockets.add(socket);
      if (beginning) this.#dawdlers.add(socket);
      socket.on('connect', () => beginning && socket.write(beginning));
      socket.on('data', () => {});
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#dawdlers.delete(socket);
      });
    }
  }

  dribble(): void {
    void (async () => {
      while (!this.#over) {
        for (const socket of this.#dawdlers) socket.write('x');
        await sleep(1_000);
      }
    })();
  }

  close(): void {
    this.#over = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Reads the catalogue at a steady rate, from a thread that the slow clients do not delay. Reconnects after every ten
 * requests, to test new connections too.
 */
function read({ baseUrl }: ServerProcess, headers: Record<string, string>, duration: number) {
  const url = `${baseUrl}/api/storefront/products`;
  return autocannon({
    url,
    headers,
    duration,
    connections: 4,
    overallRate: READS_A_SECOND,
    reconnectRate: 10,
    workers: 1,
  });
}
