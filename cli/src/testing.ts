import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from './main.ts';
import type { Terminal } from './terminal.ts';

/** One request that the fake server received. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: each test defines its own bodies.
  body: any;
}

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };

/** Responses by method and path, such as `GET /api/dashboard/me`; a function chooses the response by the request. */
export type Answers = Record<string, Answer | ((seen: Seen) => Answer)>;

/** Starts a fake server for the duration of one test, and records all requests that it receives. */
export async function fakeServer(answers: Answers): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const { method = 'GET', headers } = request;
    const call = { method, path: pathname, query: searchParams, headers, body: text ? JSON.parse(text) : undefined };
    seen.push(call);
    const answer = answers[`${method} ${pathname}`] ?? refusal(404, 'not_found', 'There is no such thing.');
    const { status = 200, body, headers: more } = typeof answer === 'function' ? answer(call) : answer;
    response.writeHead(status, { 'Content-Type': 'application/json', ...more });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** The URL of a server that has stopped. */
export async function closedServer(): Promise<{ url: string }> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return { url: `http://127.0.0.1:${port}` };
}

/** A list that fits on its first page. */
export function pageOf(noun: string, rows: unknown[]) {
  return { [noun]: rows, total: rows.length, page: 1, limit: 20, pages: 1 };
}

/** An error response in the contract's form. */
export function refusal(status: number, error: string, message: string, more: object = {}): Answer {
  return { status, body: { error, message, request_id: 'req-1', retryable: false, ...more } };
}

/** Creates a temporary folder for one test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'commerce-cli-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** The input of a command: that of a program, or of a person at a terminal of this width. */
interface Keyboard {
  input?: string;
  typed?: string;
  columns?: number;
}

/**
 * Returns a function that runs command lines of one user, whose stored profiles stay from call to call. The user has a separate
 * home and data directory, so that a demo shop in the tests' folder, or the profiles of the developer, make no difference.
 */
export async function user(env: Record<string, string> = {}) {
  const home = await folder();
  const config = join(home, 'config.json');
  const own = { HOME: home, COMMERCE_CONFIG: config, DATA_DIR: join(home, 'data') };
  /** A running command: its output so far, and Ctrl-C. */
  const begin = (args: string[], { input = '', typed, columns = 100 }: Keyboard = {}) => {
    const [stdout, stderr] = [collector(typed !== undefined, columns), collector(typed !== undefined, columns)];
    const stdin = typed === undefined ? Readable.from([Buffer.from(input)]) : keyboard(typed);
    const streams = { env: { ...own, ...env }, stdin, stdout, stderr };
    const terminal: Terminal & EventEmitter = Object.assign(new EventEmitter(), streams);
    const ended = run(args, terminal).then((code): Outcome => ({ code, out: stdout.text(), err: stderr.text() }));
    return { out: stdout.text, err: stderr.text, interrupt: () => terminal.emit('SIGINT'), ended };
  };
  const commerce = (...call: Parameters<typeof begin>) => begin(...call).ended;
  return { commerce, begin, config };
}

/** A user who calls the server with an API key. */
export async function loggedIn(url: string, apiKey = 'key_test') {
  return user({ COMMERCE_URL: url, COMMERCE_API_KEY: apiKey });
}

function collector(isTTY: boolean, columns: number) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns, text: () => Buffer.concat(chunks).toString() });
}

/** Types line after line, each once the one before was read. */
function keyboard(typed: string) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stream });
  const lines = typed.split('\n');
  const typeNext = () => {
    const line = lines.shift();
    if (line !== undefined) stream.write(`${line}\r`);
  };
  stream.on('newListener', (event) => event === 'keypress' && setImmediate(typeNext));
  return stream;
}
