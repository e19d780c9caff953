import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { DEADLINES } from '../http/pipeline/deadline.ts';
import { answerTo } from '../http/pipeline/errors.ts';
import { ShopError } from '../shop/errors.ts';
import { boundConnections } from './bound-connections.ts';

/**
 * Not imported, because an import evaluates all exports of a module, and one export of node:http loads Node's whole
 * WebSocket client.
 */
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/**
 * Limits for every connection. Node's defaults are lax: a client may take a minute for its headers. With these limits,
 * a slow or endless request frees its socket after at most half a minute, or after two minutes for a large upload.
 */
const HEADERS_SECONDS = 10;
const REQUEST_TIMEOUT_MS = DEADLINES.upload * 1_000;
const CHECK_INTERVAL_MS = 2_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const MAX_REQUESTS_PER_SOCKET = 1_000;
const MAX_CONNECTIONS = 4_096;
/**
 * Number of connections that may wait to be accepted. Node's default of 511 is used up immediately if thousands arrive
 * together.
 */
const BACKLOG = 4_096;
const REFUSED_AT_ONCE = 20;
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

export interface ListenOptions {
  host: string;
  port: number;
  keepAliveSeconds: number;
  /** Time limit in seconds for a client's headers. */
  headersSeconds?: number;
  /** Maximum number of connections, enforced by boundConnections. */
  maxConnections?: number;
}

/** Starts an HTTP server, which accepts connections once this resolves. Rejects if the port is in use. */
export async function listen(
  app: Express,
  { host, port, keepAliveSeconds, headersSeconds = HEADERS_SECONDS, maxConnections = MAX_CONNECTIONS }: ListenOptions,
): Promise<Server> {
  const server = createServer(
    {
      headersTimeout: headersSeconds * 1_000,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      keepAliveTimeout: keepAliveSeconds * 1_000,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    app,
  );
  server.on('clientError', refuseInTurn());
  server.maxHeadersCount = MAX_HEADERS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
  boundConnections(server, maxConnections);
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen({ port, host, backlog: BACKLOG }, listening);
  });
  return server;
}

/**
 * Rejects timed-out requests a few at a time, so that others are served in between. Node reports all of them together,
 * perhaps thousands.
 */
function refuseInTurn(): (error: ParseError, socket: Duplex) => void {
  const late: [ParseError, Duplex][] = [];
  const refuseSome = () => {
    for (const [error, socket] of late.splice(0, REFUSED_AT_ONCE)) refuse(error, socket);
    if (late.length > 0) setImmediate(refuseSome);
  };
  return (error, socket) => {
    if (error.code !== TIMED_OUT) return refuse(error, socket);
    if (late.push([error, socket]) === 1) setImmediate(refuseSome);
  };
}

/** Answers data that could not be parsed as a request with a JSON error. Node's default response has no body. */
function refuse(error: ParseError, socket: Duplex): void {
  // A closed connection gets no response, and one that was already answered gets no second one.
  const answering = (socket as { _httpMessage?: ServerResponse })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    if (answering?.writableEnded) (socket as Socket).destroySoon();
    else socket.destroy();
    return;
  }
  // A client that has sent nothing expects no response.
  if (error.code === TIMED_OUT && (socket as Socket).bytesRead === 0) {
    socket.destroy();
    return;
  }
  const { status, body = '' } = answerTo(refusalOf(error), uuidv7());
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The rest of this request will never arrive.
  answering?.destroy();
}

type ParseError = NodeJS.ErrnoException & { reason?: string };

function refusalOf({ code, reason }: ParseError): ShopError {
  if (code === 'HPE_INVALID_CONTENT_LENGTH' && reason?.includes('overflow'))
    return new ShopError('payload_too_large', 'The Content-Length exceeds the maximum of any request body.');
  if (code === 'HPE_HEADER_OVERFLOW') return new ShopError('headers_too_large', 'The headers exceed 16 KB.');
  if (code === TIMED_OUT) return new ShopError('request_timeout', 'The request did not arrive in time.');
  return new ShopError('invalid_request', 'This is not a valid HTTP request.');
}
