import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { asOwner } from '../src/db/as-owner.ts';
import { type Connection, openPool } from '../src/db/connect.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { directoryStore } from '../src/files/directory.ts';
import { createOperatorApp, type OperatorAppDeps } from '../src/operator-app.ts';
import { createKey } from '../src/shop/operators/keys.ts';
import { FILES_DIR, SECRET_KEY } from './server.ts';
import { databaseUrl } from './worker-database.ts';

interface Asked {
  method?: string;
  body?: object | undefined;
  key?: string;
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the server validates its responses against the contract
  data: any;
}

/** An operators' listener on the test database, with an operator key. The caller closes it. */
export interface Operators {
  base: string;
  secret: string;
  /** Runs work as the table owner, in a transaction. */
  asKeeper<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Sends a request with the operator key, or with another one. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  close(): Promise<void>;
}

export const SITES = '/api/operator/sites';

export async function openOperators(settings: Partial<OperatorAppDeps> = {}): Promise<Operators> {
  const owner = openPool({ url: databaseUrl(), max: 4, pooling: 'session' });
  const app = createOperatorApp({
    ...{ owner, logger: pino({ level: 'silent' }), baseUrl: 'http://localhost', card: undefined, redis: undefined },
    ...{ secretKey: SECRET_KEY, rateLimits: false, validateResponses: true, files: directoryStore(FILES_DIR) },
    ...settings,
  });
  const server: Server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asKeeper: Operators['asKeeper'] = (work) =>
    inTransaction(owner, (connection) => asOwner(connection, () => work(connection)));
  const { secret } = await asKeeper((connection) => createKey(connection, { description: 'tests', days: 1 }));
  return {
    ...{ base, secret, asKeeper },
    async ask(path, { method = 'GET', body, key = secret, headers = {} } = {}) {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          ...(key && { Authorization: `Bearer ${key}` }),
          ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, data: await response.json() };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await owner.end();
    },
  };
}
