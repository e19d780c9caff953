import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../server/src/http/contract/contract.ts';

/** The parts of a request. Unlike fetch, `send` does not normalize the path or join headers. */
export interface Call {
  operation: Operation;
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  headers: Record<string, string | string[]>;
  /** Sent as JSON; undefined sends no body. */
  body?: unknown;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a call and reads its complete response. */
export function send(baseUrl: string, call: Call): Promise<Reply> {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = { ...call.headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  return exchange(baseUrl, call.operation.method.toUpperCase(), targetOf(call), headers, body);
}

/** A request with its response, as transferred. */
export interface Exchange {
  headers: Call['headers'];
  body: string | undefined;
  reply: Reply;
}

const listeners = new Set<(exchange: Exchange) => void>();

/** Passes every exchange to `listener` until the returned function is called. */
export function watchExchanges(listener: (exchange: Exchange) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function exchange(
  baseUrl: string,
  method: string,
  target: string,
  headers: Call['headers'],
  body?: string,
  through = agent,
): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { agent: through, hostname, port, method, path: target, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => {
          error.message += ` during the response to ${method} ${target}`;
          reject(error);
        });
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const reply = { status: response.statusCode ?? 0, headers: response.headers, text };
          for (const listener of listeners) listener({ headers, body, reply });
          resolve(reply);
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/**
 * Writes bytes to a socket. Returns the received bytes as text, once the server closes the connection or sends nothing
 * for 2 s.
 */
export function raw(baseUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

/** Returns the path and query of a call, percent-encoded. */
export function targetOf({ operation, path, query }: Call): string {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(path[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encode(name)}=${encode(one)}`),
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/**
 * Like encodeURIComponent, except that it sends the three bytes of an unpaired surrogate instead of throwing an error.
 */
function encode(text: string): string {
  return [...text].map((char) => (char.isWellFormed() ? encodeURIComponent(char) : bytesOf(char))).join('');
}

function bytesOf(half: string): string {
  const code = half.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}

/**
 * Returns a response as text, without the parts that differ between two equal requests: the ids of their objects, the
 * request ids, the time, the ETag, and the session that a login opens.
 */
export function comparable({ status, headers, text }: Reply, ids: string[]): string {
  const { date, etag, 'x-request-id': request, ...kept } = headers;
  const named = [...new Set(ids)].reduce((body, id) => body.replaceAll(id, '<id>'), text);
  const body = named
    .replaceAll(String(request), '<request>')
    .replaceAll(/"(access_token|expires_at|renewable_until)":"[^"]*"/g, '"$1":"<session>"');
  return JSON.stringify([status, kept, body]);
}

/** The highest number of attempts to send a request while the server is overloaded. */
const ATTEMPTS = 60;

/**
 * Sends a request, and repeats it while the server rejects it because of its load. Rate limits do not count the
 * rejected attempts. Returns the last response.
 */
export async function untilAccepted(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await ask();
    const isOverloaded = reply.status === 503 && reply.text.includes('The server is busy.');
    if (!isOverloaded || attempt === ATTEMPTS) return reply;
    await sleep(Number(reply.headers['retry-after'] ?? 1) * 1_000);
  }
}
