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

/** A request that the fake server received. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: each test defines its own bodies.
  body: any;
}

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };

/** Responses by method and path, such as `GET /api/dashboard/me`. A function returns the response for a request. */
export type Answers = Record<string, Answer | ((seen: Seen) => Answer)>;

/** Starts a fake server for one test, and records its requests. */
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

/** URL of a server that no longer runs. */
export async function closedServer(): Promise<{ url: string }> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return { url: `http://127.0.0.1:${port}` };
}

/** Returns a list response with all rows on one page. */
export function pageOf(noun: string, rows: unknown[]) {
  return { [noun]: rows, total: rows.length, page: 1, limit: 20, pages: 1 };
}

/** Returns an error response in the contract's format. */
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

/** Input of a command: piped text, or lines typed at a terminal of this width. */
interface Keyboard {
  input?: string;
  typed?: string;
  columns?: number;
  /** The current folder; the user's home when absent. */
  cwd?: string;
}

/**
 * Returns a function that runs commands of one user, whose profiles are kept between calls. The user has a temporary
 * home and data directory, so that profiles of the developer and a local demo shop have no effect.
 */
export async function user(env: Record<string, string> = {}) {
  const home = await folder();
  const config = join(home, 'config.json');
  const own = { HOME: home, COMMERCE_CONFIG: config, DATA_DIR: join(home, 'data') };
  /** Starts a command. Returns functions for its output so far and for Ctrl-C, and its result. */
  const begin = (args: string[], { input = '', typed, columns = 100, cwd = home }: Keyboard = {}) => {
    const [stdout, stderr] = [collector(typed !== undefined, columns), collector(typed !== undefined, columns)];
    const stdin = typed === undefined ? Readable.from([Buffer.from(input)]) : keyboard(typed);
    const streams = { env: { ...own, ...env }, cwd: () => cwd, stdin, stdout, stderr };
    const terminal: Terminal & EventEmitter = Object.assign(new EventEmitter(), streams);
    const ended = run(args, terminal).then((code): Outcome => ({ code, out: stdout.text(), err: stderr.text() }));
    return { out: stdout.text, err: stderr.text, interrupt: () => terminal.emit('SIGINT'), ended };
  };
  const commerce = (...call: Parameters<typeof begin>) => begin(...call).ended;
  return { commerce, begin, config };
}

/** Returns a user with an API key for this server. */
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

/** Simulates typing: enters each line after the previous one was read. */
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
