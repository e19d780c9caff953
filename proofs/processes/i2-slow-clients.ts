import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { type Figures, type Proof, pick, type Trial, Violations } from '../frame.ts';
import { rawRequest } from '../raw-http.ts';
import { freePort, ServerProcess, withDirectory } from './server-process.ts';
import { openTenant } from './tenant.ts';

/** Of what 99 of 100 looks at the catalogue take; held against full forms alone, on a machine at rest. */
const GOAL_MS = 50;
const READS_A_SECOND = 50;

/** Sockets that send their headers or their body by the byte, and sockets that send nothing, while others look at the goods. */
export const I2: Proof = {
  id: 'I2',
  promise: 'Whoever is slow, or silent on thousands of connections, keeps nobody else waiting, and is let go in time.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  const violations = new Violations();
  const crowd = new Crowd(server.port);
  const headers = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  const [silent, dawdling] = [pick(size, 300, 5_000), pick(size, 50, 500)];
  try {
    const atRest = await read(server, headers, pick(size, 2, 5));
    crowd.open(silent, '');
    crowd.open(dawdling, 'GET /api/storefront/products HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const body = { ...headers, 'Content-Type': 'application/json', 'Content-Length': '1000' };
    crowd.open(dawdling, `${rawRequest('POST', '/api/storefront/checkout', body)}{`);
    crowd.dribble();
    const meanwhile = await read(server, headers, pick(size, 4, 45));
    progress(`${meanwhile.latency.p99} ms of the catalogue meanwhile, ${atRest.latency.p99} ms at rest`);
    if (meanwhile.requests.total === 0) violations.add('Nobody looked at the catalogue.');
    if (meanwhile.errors > 0 || meanwhile.non2xx > 0) {
      violations.add(`${meanwhile.errors} looks at the catalogue failed, ${meanwhile.non2xx} were refused`);
    }
    if (size === 'full' && meanwhile.latency.p99 >= GOAL_MS) {
      violations.add(`99 of 100 looks at the catalogue take up to ${meanwhile.latency.p99} ms`);
    }
    // Headers have 10 s, a body 30 s, and the server looks every two seconds.
    if (size === 'full' && crowd.opened > 0) violations.add(`${crowd.opened} connections were not let go in 45 s`);
    const note = `catalogue meanwhile p99 ${meanwhile.latency.p99} ms, at rest ${atRest.latency.p99} ms; new connections for every tenth look`;
    return { tried: silent + 2 * dawdling, unit: 'slow connections', violations: violations.list, note };
  } finally {
    crowd.close();
    await server.end('SIGKILL');
  }
}

/** Connections that each send a byte a second. */
class Crowd {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #dawdlers = new Set<Socket>();
  #over = false;

  constructor(port: number) {
    this.#port = port;
  }

  /** How many the server still has. */
  get opened(): number {
    return this.#sockets.size;
  }

  open(many: number, beginning: string): void {
    for (let n = 0; n < many; n += 1) {
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

/** A steady stream of looks at the catalogue, also over new connections. */
function read({ baseUrl }: ServerProcess, headers: Record<string, string>, duration: number) {
  const url = `${baseUrl}/api/storefront/products`;
  return autocannon({ url, headers, duration, connections: 4, overallRate: READS_A_SECOND, reconnectRate: 10 });
}
