import { freePort } from '../../server/src/db/free-port.ts';
import type { Trial } from './proof.ts';
import { exchange, type Reply, untilAccepted } from './raw-requests.ts';
import { ServerProcess } from './server-process.ts';

/**
 * Two server processes that count requests in one database or Redis, behind a simulated proxy that passes the IP
 * address of each caller.
 */
export class LimitedServers {
  readonly #servers: ServerProcess[];
  #sent = 0;
  #failures = 0;
  #addresses = 0;

  private constructor(servers: ServerProcess[]) {
    this.#servers = servers;
  }

  static async start({ databaseUrl }: Trial, directory: string, redisUrl?: string): Promise<LimitedServers> {
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: directory,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'warn',
      ROLE: 'api',
      ...(redisUrl && { REDIS_URL: redisUrl }),
    };
    const start = async () => new ServerProcess(await freePort(), env);
    const servers = new LimitedServers([await start(), await start()]);
    try {
      await Promise.all(servers.#servers.map((server) => server.readyAtLast()));
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  get sent(): number {
    return this.#sent;
  }

  /** The number of 5xx responses, except those of an overloaded server. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns an unused IP address. */
  newAddress(): string {
    this.#addresses += 1;
    return `10.${Math.floor(Math.random() * 200)}.${this.#addresses >> 8}.${this.#addresses & 255}`;
  }

  /** Sends a request from an IP address to the servers in turn, and repeats it while the server is too busy. */
  async send(
    address: string,
    method: string,
    target: string,
    given: Record<string, string>,
    body?: unknown,
  ): Promise<Reply> {
    const headers = {
      ...given,
      'X-Forwarded-For': address,
      ...(method !== 'GET' && { 'Idempotency-Key': crypto.randomUUID() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const reply = await untilAccepted(() => {
      const { baseUrl = '' } = this.#servers[this.#sent % this.#servers.length] ?? {};
      this.#sent += 1;
      return exchange(baseUrl, method, target, headers, sent);
    });
    if (reply.status >= 500) this.#failures += 1;
    return reply;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.end('SIGKILL')));
  }
}
