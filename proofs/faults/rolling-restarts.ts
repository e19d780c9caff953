import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { type RetriedCall, sendUntilAnswered } from '../testing/retrying-client.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';

const PROCESSES = 2;
const SHUTDOWN_LIMIT_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
/** One request in this many is a write. */
const WRITE_SHARE = 5;

/** Restarts the processes of an installation one after another. A client that retries must notice nothing. */
export const C13: Proof = {
  id: 'C13',
  promise: 'Rolling restarts by SIGTERM under load fail no request of a retrying client.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string) {
  const restarts = pick(size, 1, 50);
  const perSecond = pick(size, 100, 200);
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    // The short form runs no background jobs, because they would also process the data of other tests.
    ROLE: pick(size, 'api', 'all'),
  };
  const credentials = await openTenant(databaseUrl);
  const violations = new Violations();
  const start = async () => new ServerProcess(await freePort(), env).mustBeReady();
  const servers = await Promise.all(Array.from({ length: PROCESSES }, start));
  const load = new Load(servers, credentials, perSecond);
  let slowest = 0;
  try {
    for (let restart = 0; restart < restarts; restart += 1) {
      progress(`${restart} of ${restarts} restarts; ${load.answered} answers, ${load.repeated} by a retry`);
      const at = restart % PROCESSES;
      const leaving = servers[at] as ServerProcess;
      const { code, signal, milliseconds } = await leaving.end('SIGTERM');
      slowest = Math.max(slowest, milliseconds);
      if (code !== 0) violations.add(`Restart ${restart}: ended with ${code ?? signal}: ${leaving.errors}`);
      if (milliseconds >= SHUTDOWN_LIMIT_MS) violations.add(`Restart ${restart}: shutdown took ${milliseconds} ms`);
      servers[at] = await start();
    }
    await load.end();
    for (const failure of load.failures) violations.add(failure);
    const lost = await load.lost();
    if (lost !== 0) violations.add(`${load.written} products were acknowledged, but ${lost} fewer are there`);
  } finally {
    await load.end();
    await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
  }
  const note = `${load.answered} requests, ${load.failures.length} failed, ${load.repeated} answered by a retry; slowest shutdown ${(slowest / 1_000).toFixed(2)} s`;
  return { tried: restarts, unit: 'restarts', violations: violations.list, note };
}

/** Sends reads and writes to all processes at a steady rate, each until it has a response. */
class Load {
  readonly failures: string[] = [];
  answered = 0;
  repeated = 0;
  written = 0;
  readonly #servers: ServerProcess[];
  readonly #headers: { api: Record<string, string>; storefront: Record<string, string> };
  readonly #open = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #begun = 0;

  constructor(
    servers: ServerProcess[],
    { api_key, site_id, storefront_token }: Awaited<ReturnType<typeof openTenant>>,
    perSecond: number,
  ) {
    this.#servers = servers;
    this.#headers = {
      api: { 'X-API-Key': api_key },
      storefront: { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token },
    };
    this.#timer = setInterval(() => this.#begin(), 1_000 / perSecond);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }

  /** Returns the number of acknowledged products that are missing; negative if there are too many. */
  async lost(): Promise<number> {
    const call: RetriedCall = { method: 'GET', path: '/api/dashboard/products?limit=1', headers: this.#headers.api };
    const { body } = await sendUntilAnswered(() => this.#urls(), call, ANSWER_WITHIN_MS);
    return this.written - (JSON.parse(body) as { total: number }).total;
  }

  #urls(): string[] {
    return this.#servers.map(({ baseUrl }) => baseUrl);
  }

  #begin(): void {
    const number = this.#begun;
    this.#begun += 1;
    const sent = this.#send(number).finally(() => this.#open.delete(sent));
    this.#open.add(sent);
  }

  async #send(number: number): Promise<void> {
    const write = number % WRITE_SHARE === 0;
    const call: RetriedCall = write
      ? { method: 'POST', path: '/api/dashboard/products', headers: this.#headers.api, body: productOf(number) }
      : { method: 'GET', path: '/api/storefront/products?limit=5', headers: this.#headers.storefront };
    try {
      const { status, body, attempts } = await sendUntilAnswered(() => this.#urls(), call, ANSWER_WITHIN_MS);
      this.answered += 1;
      if (attempts > 1) this.repeated += 1;
      if (status !== (write ? 201 : 200)) this.failures.push(`${call.method} ${call.path}: ${status} ${body}`);
      else if (write) this.written += 1;
    } catch (error) {
      this.failures.push((error as Error).message);
    }
  }
}

function productOf(number: number) {
  return { name: `Product ${number}`, price: '1.00', status: 'active' };
}
