import type { AppDeps } from '../server/src/app.ts';
import { startServer, stopServer } from '../server/test/server.ts';
import type { Reply } from './client.ts';
import { exchange } from './client.ts';
import type { Trial } from './frame.ts';

/** Two servers that count, behind a proxy that names the address of each caller, on one database. */
export class LimitedServers {
  readonly #servers: Awaited<ReturnType<typeof startServer>>[];
  #sent = 0;
  #addresses = 0;

  private constructor(servers: Awaited<ReturnType<typeof startServer>>[]) {
    this.#servers = servers;
  }

  static async start({ databaseUrl }: Trial, redis?: AppDeps['redis']): Promise<LimitedServers> {
    const settings = { rateLimits: true, trustProxy: 1, redis };
    const start = () => startServer(databaseUrl, settings, databaseUrl);
    return new LimitedServers(await Promise.all([start(), start()]));
  }

  get sent(): number {
    return this.#sent;
  }

  /** An address that nobody has called from yet. */
  newAddress(): string {
    this.#addresses += 1;
    return `10.${Math.floor(Math.random() * 200)}.${this.#addresses >> 8}.${this.#addresses & 255}`;
  }

  /** Sends a request from an address, to each server in turn. */
  send(address: string, method: string, target: string, given: Record<string, string>, body?: unknown): Promise<Reply> {
    const { baseUrl = '' } = this.#servers[this.#sent % this.#servers.length] ?? {};
    this.#sent += 1;
    const headers = {
      ...given,
      'X-Forwarded-For': address,
      ...(method !== 'GET' && { 'Idempotency-Key': crypto.randomUUID() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return exchange(baseUrl, method, target, headers, body === undefined ? undefined : JSON.stringify(body));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(stopServer));
  }
}
