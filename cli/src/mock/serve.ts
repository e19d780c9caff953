/** Serves a fetch handler over HTTP, with CORS for every origin. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError, EXIT } from '../errors.ts';

type Answer = (request: Request) => Promise<Response>;

const EXPOSED = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';

/** Listens on localhost; port 0 means a free port. Throws a CommandError if it cannot listen. */
export async function listenOn(port: number): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const message = isTaken ? `Port ${port} cannot be used: ${error.code}.` : error.message;
      failed(
        new CommandError(EXIT.usage, 'port_unavailable', message, 'Choose another one: commerce mock --port 8091'),
      );
    });
    server.listen(port, 'localhost', listening);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

export function answerWith(server: Server, baseUrl: string, answer: Answer): void {
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    respond(incoming, outgoing, baseUrl, answer).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse, baseUrl: string, answer: Answer) {
  outgoing.setHeader('Access-Control-Allow-Origin', incoming.headers.origin ?? '*');
  outgoing.setHeader('Access-Control-Expose-Headers', EXPOSED);
  outgoing.setHeader('Vary', 'Origin');
  if (incoming.method === 'OPTIONS') {
    outgoing.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': incoming.headers['access-control-request-headers'] ?? '*',
      'Access-Control-Max-Age': '600',
    });
    outgoing.end();
    return;
  }
  const response = await answer(await requestOf(incoming, baseUrl));
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  outgoing.statusCode = response.status;
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

async function requestOf(incoming: IncomingMessage, baseUrl: string): Promise<Request> {
  const { method = 'GET', headers, url = '/' } = incoming;
  const body = Buffer.concat(await incoming.toArray());
  const given = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return new Request(new URL(url, baseUrl), {
    ...{ method, headers: given as [string, string][] },
    ...(body.byteLength > 0 && { body }),
  });
}
