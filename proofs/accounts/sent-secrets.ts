import type { Pool } from 'pg';
import type { Violations } from '../testing/proof.ts';
import type { Exchange } from '../testing/raw-requests.ts';
import { tokenPattern } from '../testing/token-pattern.ts';

/**
 * Collects all secrets that requests and responses contain, and searches for them in every form in which they may be
 * stored.
 */
export class Secrets {
  readonly #kinds = new Map<string, string>();

  get count(): number {
    return this.#kinds.size;
  }

  /** Adds a secret; `kind` describes it in violations. */
  add(kind: string, secret: string): void {
    if (secret.length >= LEAST_LENGTH) this.#kinds.set(secret, kind);
  }

  /** Adds the secrets of a request and of its response. */
  note({ headers, body, reply }: Exchange): void {
    for (const [name, kind] of Object.entries(HEADERS)) {
      for (const value of [headers[name] ?? []].flat()) this.add(kind, value.replace(/^Bearer /, ''));
    }
    if (body) this.#noteFields(parsed(body));
    this.noteTokens(`${reply.text} ${JSON.stringify(reply.headers['set-cookie'] ?? '')}`);
  }

  /** Adds the tokens in a text. */
  noteTokens(text: string): void {
    for (const [token, prefix] of text.matchAll(TOKEN)) this.add(`a ${prefix}_ token`, token);
  }

  #noteFields(value: unknown, name = ''): void {
    if (typeof value === 'string' && SECRET_FIELD.test(name)) this.add(`a ${name}`, value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, field] of Object.entries(value)) this.#noteFields(field, Array.isArray(value) ? name : key);
  }

  /** Builds a search for all secrets collected so far, except those whose kind matches `but`. */
  search(but?: RegExp): Search {
    const kinds = [...this.#kinds].filter(([, kind]) => !but?.test(kind));
    return new Search(new Map(kinds.flatMap(([secret, kind]) => formsOf(secret).map((form) => [form, kind] as const))));
  }
}

const LEAST_LENGTH = 12;
const TOKEN = tokenPattern('{38}', 'g');
const SECRET_FIELD = /password|secret|^token$|card_token|access_token/;
const HEADERS: Record<string, string> = {
  Authorization: 'a bearer token',
  'X-API-Key': 'an API key',
  'X-Service-Token': 'a storefront token',
  'X-Sync-Secret': 'a sync secret',
  'Idempotency-Key': 'an Idempotency-Key',
};

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Returns the forms of a secret: unchanged, in halves, percent-encoded, in hexadecimal as bytea, and in Base64 at any
 * offset.
 */
function formsOf(secret: string): string[] {
  const [, random = secret] = /^[a-z]{3,5}_([0-9A-Za-z]{32})[0-9A-Za-z]{6}$/.exec(secret) ?? [];
  const middle = Math.ceil(random.length / 2);
  const halves = middle >= LEAST_LENGTH ? [random.slice(0, middle), random.slice(middle)] : [];
  const hex = [...halves, secret].map((part) => Buffer.from(part).toString('hex'));
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    ...halves,
    ...(encoded === secret ? [] : [encoded]),
    ...hex,
    ...[0, 1, 2].map((at) => base64(secret, at)),
  ];
}

/**
 * Returns the Base64 characters of a secret that do not depend on the bytes around it. `at` is the offset of the secret
 * modulo 3.
 */
function base64(secret: string, at: number): string {
  const bytes = Buffer.concat([Buffer.alloc(at), Buffer.from(secret)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
  return whole.slice(at === 0 ? 0 : 4);
}

const STEM = 10;

/** Searches for many texts in one pass: first for their initial characters, and only then for the rest. */
export class Search {
  readonly #forms: Map<string, string>;
  readonly #stems = new Map<string, string[]>();

  constructor(forms: Map<string, string>) {
    this.#forms = forms;
    for (const form of forms.keys()) {
      const stem = form.slice(0, STEM);
      this.#stems.set(stem, [...(this.#stems.get(stem) ?? []), form]);
    }
  }

  /** Adds a violation for each secret in a text, with the text around it. */
  accuse(violations: Violations, where: string, text: string): void {
    for (let at = 0; at + STEM <= text.length; at += 1) {
      const forms = this.#stems.get(text.slice(at, at + STEM)) ?? [];
      const form = forms.find((one) => text.startsWith(one, at));
      if (form)
        violations.add(`${where} contains ${this.#forms.get(form)}: ${text.slice(Math.max(0, at - 80), at + 40)}`);
    }
  }
}

const ROWS_AT_ONCE = 1_000;

/** Searches all rows of all tables as text, including those of the queue. */
export async function searchTables(owner: Pool, search: Search, violations: Violations): Promise<void> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const client = await owner.connect();
  try {
    for (const { name } of tables) {
      await client.query(`begin; declare everything no scroll cursor for select t::text as row from ${name} t`);
      for (;;) {
        const { rows } = await client.query<{ row: string }>(`fetch ${ROWS_AT_ONCE} from everything`);
        for (const { row } of rows) search.accuse(violations, name, row);
        if (rows.length === 0) break;
      }
      await client.query('commit');
    }
  } finally {
    client.release();
  }
}
