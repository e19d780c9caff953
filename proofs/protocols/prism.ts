import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/src/db/free-port.ts';
import type { Reply } from '../testing/raw-requests.ts';

/**
 * Prism as a proxy for a server. Prism reads the contract independently, and reports deviations of the request or
 * response in a response header. If it could not compile the contract, it would report nothing. To detect that, a
 * request header lets proofs spoil the response before Prism gets it.
 */
export interface Prism {
  baseUrl: string;
  stop(): Promise<void>;
}

/** A deviation that Prism reports. */
export interface Finding {
  /** The path of the deviation. Begins with `request` or `response`. */
  location: string[];
  severity: string;
  code: string | number;
  message: string;
}

/** A request with this header gets a JSON body that no schema of the contract allows. */
export const SPOIL = { 'X-Spoil': '1' };
const SPOILT = JSON.stringify({ spoilt: true });

const CONTRACT = fileURLToPath(import.meta.resolve('@commerce-backend/spec/openapi.json'));
const PRISM = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');

/**
 * A module that Prism's process loads first. It keeps idle connections open for ten minutes, because Prism has no
 * setting for this. Node would close them after five seconds, and a request that is sent at that moment would fail.
 */
const KEEP_CONNECTIONS = `data:text/javascript,${encodeURIComponent(`
  import http from 'node:http';
  const { createServer } = http;
  http.createServer = (...args) => Object.assign(createServer(...args), { keepAliveTimeout: 600_000 });
`)}`;

/** Starts Prism in front of the server at `upstream`, with a proxy between them that can spoil responses. */
export async function startPrism(upstream: string): Promise<Prism> {
  const spoiler = createServer((req, res) => {
    forward(upstream, req, res).catch(() => res.destroy());
  }).listen(0, '127.0.0.1');
  await once(spoiler, 'listening');
  const { port: behind } = spoiler.address() as AddressInfo;
  const port = await freePort();
  const args = ['proxy', CONTRACT, `http://127.0.0.1:${behind}`, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(process.execPath, ['--import', KEEP_CONNECTIONS, PRISM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((ready, failed) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Prism is listening')) ready();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => failed(new Error(`Prism did not start:\n${output.slice(-2_000)}`)));
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.kill()) await once(child, 'exit');
      spoiler.closeAllConnections();
      await new Promise((closed) => spoiler.close(closed));
    },
  };
}

async function forward(upstream: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await buffer(req);
  const answer = await fetch(`${upstream}${req.url}`, {
    method: req.method,
    headers: without(
      OF_THE_CONNECTION,
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: body.length > 0 ? new Uint8Array(body) : undefined,
    redirect: 'manual',
  });
  const spoil = req.headers['x-spoil'] !== undefined;
  const bytes = spoil ? Buffer.from(SPOILT) : Buffer.from(await answer.arrayBuffer());
  // Leaves out content-encoding, because the body is already decompressed.
  const kept = without([...OF_THE_CONNECTION, 'content-encoding'], [...answer.headers]);
  res.writeHead(answer.status, { ...kept, 'content-length': String(bytes.length) });
  res.end(bytes);
}

const OF_THE_CONNECTION = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'x-spoil'];

function without(names: string[], headers: [string, string][]): Record<string, string> {
  return Object.fromEntries(headers.filter(([name]) => !names.includes(name)));
}

/** Returns Prism's findings about an exchange, from its response. */
export function findingsOf({ headers }: Reply): Finding[] {
  return findingsIn(headers['sl-violations'] as string | undefined);
}

/** Returns Prism's findings, from the header of a response. */
export function findingsIn(header: string | null | undefined): Finding[] {
  return header ? (JSON.parse(header) as Finding[]) : [];
}
