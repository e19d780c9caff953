import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateSync } from 'otplib';
import pg from 'pg';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Database, openDatabase } from '../database.ts';
import { migrate, type Running, runCommand, startCommerce, stop } from '../processes.ts';
import type { RecordedRequest } from './requests.ts';
import { type Answer, type Sent, send } from './send.ts';

/** The configured URL of both servers, so that their links are the same. */
const BASE_URL = 'http://localhost:8080';

/** The initial database of both servers. */
export interface Template {
  database: Database;
  dataDir: string;
  /**
   * Values that the requests refer to by name: the credentials of the demo shop, an operator's key, the URL of an
   * agent's profile, and the data from `prepare`.
   */
  names: Record<string, unknown>;
}

type Prepare = (client: pg.Client, demo: { site_id: string }) => Promise<Record<string, unknown>>;

/**
 * Fills a database by running the server of another checkout: creates the demo shop, and adds data that would otherwise
 * need a mail or a delay.
 */
export async function openTemplate(root: string, prepare: Prepare) {
  const database = await openDatabase();
  const dataDir = join(database.dataDir, 'template');
  await mkdir(dataDir);
  const options = { databaseUrl: database.url, dataDir, root, env: { BASE_URL } };
  await migrate(database.url, dataDir, root);
  await runCommand(['seed'], options);
  const operator = JSON.parse(await runCommand(['operator-keys', 'create', '--description', 'answers'], options));
  const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const client = new pg.Client({ connectionString: database.bareUrl });
  await client.connect();
  const prepared = await prepare(client, demo).finally(() => client.end());
  const template: Template = { database, dataDir, names: { demo, operator, ...prepared } };
  return template;
}

interface Ports {
  api: number;
  operator: number;
}

/** The server of one checkout, on a copy of the template. */
export class Side {
  readonly database: string;
  /** References to values that no earlier response contained, each with the file and line of the request. */
  readonly unresolved: string[] = [];
  readonly #server: Running;
  readonly #ports: Ports;
  readonly #answers = new Map<string, unknown>();
  readonly #pages = new Map<string, Answer>();
  readonly #cookies = new Map<string, Map<string, string>>();

  static async open(template: Template, name: string, root?: string): Promise<Side> {
    const { database, dataDir } = template;
    const own = join(database.dataDir, name);
    await cp(dataDir, own, { recursive: true });
    const [url, bareUrl] = await copyDatabase(database, name);
    await migrate(url, own, root);
    const ports = { api: await freePort(), operator: await freePort() };
    const env = { BASE_URL, ROLE: 'api', OPERATOR_PORT: String(ports.operator) };
    const server = await startCommerce({ databaseUrl: url, dataDir: own, port: ports.api, env, ...(root && { root }) });
    return new Side(bareUrl, server, ports, template.names);
  }

  private constructor(database: string, server: Running, ports: Ports, names: Record<string, unknown>) {
    this.database = database;
    this.#server = server;
    this.#ports = ports;
    for (const [name, value] of Object.entries(names)) this.#answers.set(name, value);
  }

  close(): Promise<void> {
    return stop(this.#server);
  }

  /** Sends a recorded request. Keeps its response for later requests if it has a name. */
  async play(request: RecordedRequest, number: number, credentials: Record<string, string>): Promise<Answer> {
    const { caller, method, path, body, name } = request;
    const key = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const given: Record<string, string> = {
      Host: 'localhost:8080',
      ...(body !== undefined && { 'Content-Type': contentTypeOf(body) }),
      ...(method !== 'GET' && { 'Idempotency-Key': key }),
      ...this.#cookieOf(caller),
      ...credentials,
      ...request.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(given).flatMap(([header, value]) =>
        value === '-' ? [] : [[header, this.#resolve(value, request)]],
      ),
    );
    const sent: Sent = {
      method,
      path: this.#resolve(path, request),
      headers,
      body: body && this.#resolve(body, request),
    };
    const port = path.startsWith('/api/operator/') ? this.#ports.operator : this.#ports.api;
    const answer = await sendUntilServed(port, sent);
    this.#keepCookies(caller, answer);
    if (name) {
      this.#answers.set(name, answer.json);
      this.#pages.set(name, answer);
    }
    return answer;
  }

  #resolve(text: string, { place }: RecordedRequest): string {
    const unknown = (reference: string) => {
      this.unresolved.push(`${place}: ${reference}`);
      return reference;
    };
    return text.replaceAll(/\{(\w+)([.#~%@])([\w.-]+)\}/g, (whole, name: string, way: string, path: string) => {
      if (!this.#answers.has(name)) throw new Error(`${place}: no answer before it has the name ${name}.`);
      const page = this.#pages.get(name);
      if (way === '#') return [page?.headers[path] ?? unknown(whole)].flat().join(', ');
      if (way === '@') return withoutOrigin([page?.headers[path] ?? unknown(whole)].flat().join());
      if (way === '~') return fieldOf(page?.text ?? '', path) ?? unknown(whole);
      const value = path
        .split('.')
        .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], this.#answers.get(name));
      if (value === undefined) return unknown(whole);
      return way === '%' ? generateSync({ secret: String(value) }) : String(value);
    });
  }

  #cookieOf(caller: string): Record<string, string> {
    const cookies = [...(this.#cookies.get(caller) ?? [])].map(([name, value]) => `${name}=${value}`);
    return cookies.length > 0 ? { Cookie: cookies.join('; ') } : {};
  }

  #keepCookies(caller: string, { headers }: Answer): void {
    const jar = this.#cookies.get(caller) ?? new Map<string, string>();
    this.#cookies.set(caller, jar);
    for (const cookie of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /max-age=0/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
  }
}

/** Sends a request again, up to 30 times in all, while the server rejects it because the machine is busy. */
async function sendUntilServed(port: number, sent: Sent): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(port, sent);
    const isShed = answer.status === 503 && answer.text.includes('"The server is busy. Retry later."');
    if (!isShed || attempt === MOST_ATTEMPTS) return answer;
    await sleep(1_000);
  }
}

const MOST_ATTEMPTS = 30;

function contentTypeOf(body: string): string {
  return /^[[{]/.test(body) ? 'application/json' : 'application/x-www-form-urlencoded';
}

/** Returns the value of the form field with this name. */
function fieldOf(html: string, name: string): string | undefined {
  const [tag = ''] = new RegExp(`<input\\b[^>]*\\bname="${name}"[^>]*>`).exec(html) ?? [];
  return /\bvalue="([^"]*)"/.exec(tag)?.[1];
}

function withoutOrigin(address: string): string {
  return address.startsWith(BASE_URL) ? address.slice(BASE_URL.length) : address;
}

async function copyDatabase({ url, bareUrl }: Database, name: string): Promise<[string, string]> {
  const from = new URL(bareUrl);
  const template = from.pathname.slice(1);
  const copy = `${template}_${name}`;
  const { username } = new URL(url);
  from.pathname = '/postgres';
  const client = new pg.Client({ connectionString: from.href });
  await client.connect();
  await client
    .query(
      `create database ${client.escapeIdentifier(copy)} template ${client.escapeIdentifier(template)} owner ${client.escapeIdentifier(username)}`,
    )
    .finally(() => client.end());
  const at = (address: string) => Object.assign(new URL(address), { pathname: `/${copy}` }).href;
  return [at(url), at(bareUrl)];
}
