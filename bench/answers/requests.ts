/**
 * The recorded requests. The files of `requests/` are sent in the order of their names, each from top to bottom:
 *
 *   # a comment
 *   @caller Header: value; Header: value
 *   name = caller METHOD /path body | Header: value; Header: value
 *
 * `{name.field.0.field}` refers to a value in the response that was recorded under `name`. Each server gets the value
 * from its own response. Other forms are `{name#header}` (a header), `{name@location}` (the path in a header),
 * `{name~field}` (a hidden form field), and `{name%totp_secret}` (the current code of an authenticator). A mutation
 * gets a new Idempotency-Key, unless it contains one. A header with the value `-` is not sent.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface RecordedRequest {
  /** The file and line of the request, for the report. */
  place: string;
  /** The name under which the response to this request is recorded. */
  name: string | undefined;
  caller: string;
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

export interface Recorded {
  callers: Map<string, Record<string, string>>;
  requests: RecordedRequest[];
}

const FOLDER = join(import.meta.dirname, 'requests');
const CALLER = /^@(\w+)\s*(.*)$/;
const REQUEST = /^(?:(\w+) = )?(\w+) ([A-Z]+) (\S+)(?: (?!\| )(.+?))?(?: \| (.+))?$/;

export function recordedRequests(): Recorded {
  const recorded: Recorded = { callers: new Map(), requests: [] };
  for (const file of readdirSync(FOLDER).sort()) {
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      const place = `${file}:${index + 1}`;
      if (line.trim() === '' || line.startsWith('#')) continue;
      const [, defined, headers = ''] = CALLER.exec(line) ?? [];
      if (defined !== undefined) recorded.callers.set(defined, headersIn(headers));
      else recorded.requests.push(requestIn(line, place));
    }
  }
  return recorded;
}

function requestIn(line: string, place: string): RecordedRequest {
  const [, name, caller, method, path, body, headers = ''] = REQUEST.exec(line) ?? [];
  if (!caller || !method || !path) throw new Error(`${place} is no request: ${line}`);
  return { place, name, caller, method, path, body, headers: headersIn(headers) };
}

function headersIn(text: string): Record<string, string> {
  const parts = text.split('; ').filter((part) => part !== '');
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf(': ')), part.slice(part.indexOf(': ') + 2)]),
  );
}

type Json = Record<string, unknown>;

interface Contract extends Json {
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId?: string;
  parameters?: Json[];
  requestBody?: Json;
  security?: Record<string, unknown>[];
}

/**
 * For each combination of security schemes: a caller with sufficient credentials, and one whose credentials are often
 * insufficient.
 */
const CALLERS: Record<string, [string, string]> = {
  '': ['anon', 'owner'],
  ApiKey: ['key', 'reader'],
  StaffSession: ['owner', 'reader'],
  'SiteId StorefrontToken': ['shop', 'sync'],
  'SiteId StorefrontToken CustomerToken': ['customer', 'shop'],
  AgentToken: ['agent', 'narrow'],
  'SiteId SyncSecret': ['sync', 'sync_reader'],
  OperatorKey: ['operator', 'owner'],
};

const UNKNOWN = '0192f3a0-0000-4000-8000-000000000000';

/**
 * Builds requests that most operations must reject: without credentials, with insufficient ones, with unknown ids, and
 * with unknown fields.
 */
export function refusedRequests(contract: Contract): RecordedRequest[] {
  return operationsOf(contract).flatMap(({ id, method, path, operation }) => {
    const schemes = Object.keys(operation.security?.[0] ?? {}).join(' ');
    const callers = CALLERS[schemes];
    if (!callers) throw new Error(`bench/answers/requests.ts knows no caller for ${schemes} of ${id}.`);
    const example = exampleOf(contract, operation);
    const body = example === undefined ? undefined : JSON.stringify(example);
    const named = path.replaceAll(/\{\w+\}/g, UNKNOWN);
    const asked = named + queryOf(contract, operation);
    const of = (why: string, caller: string, to: string, sent: string | undefined): RecordedRequest => ({
      ...{ place: `${id}, ${why}`, name: undefined, caller, method, path: to, body: sent, headers: {} },
    });
    return [
      of('nobody', 'anon', asked, body),
      of('too few rights', callers[1], asked, body),
      ...(named === path ? [] : [of('unknown ids', callers[0], asked, body)]),
      of('what it does not take', callers[0], `${named}?nonsense=1`, body && '{"nonsense":1}'),
    ];
  });
}

/** Lists all operations of a contract, each with a pattern that matches the paths of its requests. */
export function operationsOf({ paths }: Contract) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (!operation.operationId) return [];
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
      return [{ id: operation.operationId, method: method.toUpperCase(), path, pattern, operation }];
    }),
  );
}

function exampleOf(contract: Contract, { requestBody }: Operation): unknown {
  const { content = {} } = resolved(contract, requestBody) as { content?: Record<string, Json> };
  const media = content['application/json'] ?? {};
  const [first] = Object.values((media.examples ?? {}) as Record<string, Json>);
  return media.example ?? resolved(contract, first).value;
}

function queryOf(contract: Contract, { parameters = [] }: Operation): string {
  const needed = parameters.map((one) => resolved(contract, one)).filter((one) => one.in === 'query' && one.required);
  return needed
    .map(({ name }, index) => `${index === 0 ? '?' : '&'}${name}=${name === 'country' ? 'DE' : 'mug'}`)
    .join('');
}

function resolved(contract: Contract, part: Json | undefined): Json {
  const reference = part?.$ref;
  if (typeof reference !== 'string') return part ?? {};
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key.replaceAll('~1', '/')], contract);
  return resolved(contract, found as Json);
}
