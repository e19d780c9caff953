/** Test servers with shops that contain only data of the proof, so that no other data affects the counts. */

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { Pool } from 'pg';
import type { AppDeps } from '../../server/src/app.ts';
import { inTransaction } from '../../server/src/db/transaction.ts';
import type { SiteHosts } from '../../server/src/http/callers/site-hosts.ts';
import type { OperationId } from '../../server/src/http/contract/contract.ts';
import type { Reply as Body, Call, WholeCall } from '../../server/src/http/pipeline/handler.ts';
import { createSite, mintPassword, type SiteCredentials } from '../../server/src/shop/merchant/sites.ts';
import type { Tenant } from '../../server/src/shop/shop.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { KEY_SCOPES } from '../../server/test/key-scopes.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { keepingViolations, type Trial, Violations } from './proof.ts';
import { exchange, type Reply, targetOf } from './raw-requests.ts';
import { operationOf } from './tenant.ts';
import { loggerInto } from './three-tenants.ts';

export interface Premises {
  baseUrl: string;
  /** The database as requests see it. */
  db: Pool;
  /** Connections without row-level security. */
  owner: Pool;
  /** The hosts of sites; call `reload` after a change. */
  hosts: SiteHosts;
  violations: Violations;
  /** The errors in the server's log that led to 5xx responses, by request id. */
  causes: Map<string, unknown>;
  openShop(settings?: { currency?: string }): Promise<OpenShop>;
}

/** Runs work with a new server, and checks the database's invariants afterwards. */
export async function onPremises<T>(
  trial: Trial,
  work: (premises: Premises) => Promise<T>,
  settings: Partial<AppDeps> = {},
): Promise<T> {
  const causes: Premises['causes'] = new Map();
  const server = await startServer(trial.databaseUrl, { logger: loggerInto(causes), ...settings }, trial.databaseUrl);
  const { baseUrl, db, owner, hosts } = server;
  const premises: Premises = {
    ...{ baseUrl, db, owner, hosts, causes, violations: new Violations() },
    openShop: ({ currency = 'EUR' } = {}) => openShop(premises, currency),
  };
  try {
    const result = await keepingViolations(premises, () => work(premises));
    for (const { rule, rows } of await brokenInvariants(owner)) {
      premises.violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
    }
    return result;
  } finally {
    await stopServer(server);
  }
}

async function openShop(premises: Premises, currency: string): Promise<OpenShop> {
  const staff = { email: `${randomUUID()}@example.com`, name: 'Staff' };
  const password = await mintPassword();
  const { shop, credentials } = await untilConnected(() =>
    inTransaction(premises.db, (connection) =>
      createSite(connection, { name: 'Alder & Finch', currency, staff, password, key_scopes: KEY_SCOPES }),
    ),
  );
  const { site_id, merchant_id } = credentials;
  const currency_digits = shop.currencyDigits;
  return new OpenShop(
    premises,
    { site_id, merchant_id, currency, currency_digits, show_stock: 'exact', catalog_version: '' },
    credentials,
  );
}

export interface Request<Id extends OperationId> {
  path?: Call<Id>['path'];
  query?: Call<Id>['query'];
  body?: WholeCall<Id>['body'];
  /** The Idempotency-Key; by default a new one. */
  key?: string;
  /** The token of the calling customer, for storefront calls. */
  customer_token?: string;
  /** The token of the calling agent, for agent calls. */
  agent_token?: string;
  /** The version on which the change is based, sent as If-Match. */
  if_match?: string;
}

export interface Answer<Id extends OperationId> {
  status: number;
  /** The body of a successful response. */
  data: Body<Id> | undefined;
  /** The body of an error. */
  refusal: (Record<string, unknown> & { error: string }) | undefined;
  replayed: boolean;
  /** The ETag of the response, if it has one. */
  etag: string | undefined;
}

/** Opens as many connections as there are callers, so that requests wait only in the server. */
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/**
 * The server may close a connection at the moment when it is used again. It is then unknown whether the call arrived,
 * so the call counts as a 503.
 */
function unlessReset(error: Error & { code?: string }): Reply {
  if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  return { status: 503, headers: {}, text: '' };
}

/** The highest number of attempts to send a call while the server is too busy. */
const ATTEMPTS = 200;

/** The errors that pg throws if no connection becomes free or opens in time, so that nothing was sent. */
const NO_CONNECTION = /timeout exceeded when trying to connect|terminated due to connection timeout/;

/**
 * Runs work in this process with the server's pool. Retries while no connection is available on a busy machine, as a
 * client or the queue would. Other errors are thrown.
 */
export async function untilConnected<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !NO_CONNECTION.test((error as Error).message)) throw error;
      await new Promise((done) => setTimeout(done, 100 * (0.5 + Math.random())));
    }
  }
}

export class OpenShop {
  readonly premises: Premises;
  readonly tenant: Tenant;
  /** The number of requests sent. */
  requests = 0;
  readonly #credentials: SiteCredentials;

  constructor(premises: Premises, tenant: Tenant, credentials: SiteCredentials) {
    this.premises = premises;
    this.tenant = tenant;
    this.#credentials = credentials;
  }

  /** Returns the headers of a storefront call. */
  get headers(): Record<string, string> {
    return this.#headersFor('storefront', {});
  }

  get site_id(): string {
    return this.tenant.site_id;
  }

  /**
   * Calls an operation, and repeats the call with the same key until the response is definite: while the server is too
   * busy or is still running the first call, and after the connection was closed. Any other 5xx is a violation.
   */
  async ask<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Answer<Id>> {
    const send = this.#prepare(id, request);
    for (let attempt = 1; ; attempt += 1) {
      this.requests += 1;
      const reply = await send().catch(unlessReset);
      const body = reply.text === '' ? undefined : JSON.parse(reply.text);
      const undecided = reply.status === 503 || body?.error === 'idempotency_in_flight';
      if (!undecided || attempt === ATTEMPTS) return this.#answer(id, reply, body);
      // Multiplies Retry-After by a random factor that grows with each attempt, so that not all calls are retried at
      // the same moment.
      const factor = Math.min(2 ** (attempt - 1), 16) * (0.5 + Math.random());
      const seconds = Number(reply.headers['retry-after'] ?? 0.1) * factor;
      await new Promise((done) => setTimeout(done, seconds * 1_000));
    }
  }

  #prepare<Id extends OperationId>(id: Id, request: Request<Id>): () => Promise<Reply> {
    const operation = operationOf(id);
    const { path = {}, query = {}, body, key = randomUUID(), if_match } = request;
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const call = { operation, path: path as Record<string, string>, query: Object.fromEntries(texts), headers: {} };
    const version: Record<string, string> = if_match === undefined ? {} : { 'If-Match': if_match };
    const headers = { ...this.#headersFor(id, request), ...version, 'Idempotency-Key': key };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const typed = sent === undefined ? headers : { ...headers, 'Content-Type': 'application/json' };
    const [method, target] = [operation.method.toUpperCase(), targetOf(call)];
    return () => exchange(this.premises.baseUrl, method, target, typed, sent, agent);
  }

  #answer<Id extends OperationId>(id: Id, { status, headers, text }: Reply, body: unknown): Answer<Id> {
    const { causes, violations } = this.premises;
    if (status >= 500)
      violations.add(
        `${id}: expected no 5xx, got ${status} ${text} ${causes.get(String(headers['x-request-id'])) ?? ''}`,
      );
    const replayed = headers['idempotency-replayed'] === 'true';
    const shared = { status, replayed, etag: headers.etag?.toString() };
    if (status < 300) return { ...shared, data: body as Body<Id>, refusal: undefined };
    return { ...shared, data: undefined, refusal: body as Answer<Id>['refusal'] };
  }

  /** Calls an operation that must succeed, and returns its body. Throws otherwise. */
  async must<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Body<Id>> {
    const { status, data, refusal } = await this.ask(id, request);
    if (refusal) throw new Error(`${id} of the proof was refused: ${status} ${JSON.stringify(refusal)}`);
    return data as Body<Id>;
  }

  #headersFor(
    id: string,
    { customer_token, agent_token }: Pick<Request<OperationId>, 'customer_token' | 'agent_token'>,
  ): Record<string, string> {
    const { site_id, storefront_token, api_key } = this.#credentials;
    if (id.startsWith('dashboard.')) return { 'X-API-Key': api_key };
    if (id.startsWith('agent.')) return { Authorization: `Bearer ${agent_token}` };
    const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    return customer_token === undefined ? headers : { ...headers, Authorization: `Bearer ${customer_token}` };
  }
}
