import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A recorded request in which `{name.path}` was replaced with values from earlier responses (sides.ts). */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as text; empty if it is not text. */
  text: string;
  /** The body, or the message of an event stream, as JSON; undefined if there is no JSON. */
  json: unknown;
  bytes: Buffer;
}

/** Sends a request to this port, with the Host header of the request. */
export async function send(port: number, { method, path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = request({ agent: false, port, method, path, headers: { ...headers, ...length } }, (response) => {
      const { statusCode = 0, headers } = response;
      buffer(response).then((bytes) => resolve(answerOf(statusCode, headers, bytes)), reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function answerOf(status: number, headers: IncomingHttpHeaders, received: Buffer): Answer {
  const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received;
  const type = headers['content-type'] ?? '';
  const text = /^(?:text\/|application\/.*(?:json|xml|javascript))|^$/.test(type) ? bytes.toString() : '';
  return { status, headers, text, json: jsonIn(text) ?? jsonIn(EVENT.exec(text)?.[1] ?? ''), bytes };
}

/** Matches the only message in an event stream of the MCP endpoint. */
const EVENT = /^data: (.*)$/m;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers that depend on the connection, the time or the length of generated values. */
const IGNORED = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

/**
 * Formats a response as text, one header and one JSON field per line. Leaves out the headers and JSON pointers in
 * `without`.
 */
export function textOf(answer: Answer, without: string[]): string {
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !IGNORED.includes(name) && !without.includes(name))
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`))
    .toSorted();
  return [`HTTP ${answer.status}`, ...headers, '', ...bodyOf(answer, without)].join('\n');
}

/**
 * Matches the Markdown line with the time when credentials were last used. The server updates that time at most once a
 * minute.
 */
const LAST_USE = /- last_used_at: [\dTZ:.-]+(?:\n|\\n)/g;

function bodyOf({ text, json, bytes, headers }: Answer, without: string[]): string[] {
  if (bytes.length > 0 && text === '') return [`SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`];
  if (headers['content-type']?.startsWith('text/html')) return [text.replaceAll('><', '>\n<')];
  // Compares JSON with unusual formatting as text, so that a changed format is noticed.
  if (json === undefined || JSON.stringify(json) !== text) return [text.replaceAll(LAST_USE, '')];
  for (const pointer of without) {
    if (pointer.startsWith('/')) remove(json, pointer.slice(1).split('/'));
  }
  return [JSON.stringify(json, null, 1)];
}

/** Removes the target of a JSON pointer; `*` means each element of a list. */
function remove(value: unknown, [first = '', ...rest]: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const name of first === '*' ? Object.keys(fields) : [first]) {
    if (rest.length === 0) delete fields[name];
    else remove(fields[name], rest);
  }
}
