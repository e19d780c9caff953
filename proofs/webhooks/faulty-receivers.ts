import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** A faulty receiver of webhooks. */
export interface BadReceiver {
  name: string;
  /** The outcome that must be recorded for attempts at this receiver. */
  outcome: string;
  status: number | null;
  /** The delay in seconds that its Retry-After header requests, capped at the maximum that the server accepts. */
  asks?: number;
  /** Whether an attempt takes the longest time that the server allows. */
  slow?: boolean;
  open(): Promise<{ url: string; close(): Promise<void> }>;
}

/** All faulty receivers. `elsewhere` is the URL to which some of them redirect. */
export function badReceivers(elsewhere: string): BadReceiver[] {
  return [
    ...[400, 401, 404, 500, 503].map((status) => answering(status)),
    ...[301, 302, 303, 307, 308].map((status) => answering(status, { Location: elsewhere })),
    { ...answering(429, { 'Retry-After': '120' }), asks: 120 },
    { ...answering(429, { 'Retry-After': '7200' }), asks: 3_600 },
    { ...answering(429, { 'Retry-After': '1' }), asks: 1 },
    answering(429, { 'Retry-After': 'soon' }),
    answering(503, { 'Retry-After': '-5' }),
    {
      ...onHttp('503 until a date', (_req, res) => {
        res.writeHead(503, { 'Retry-After': new Date(Date.now() + 1_800_000).toUTCString() }).end();
      }),
      ...{ outcome: 'refused', status: 503, asks: 1_800 },
    },
    { ...onHttp('a body without end', pourOut(500)), outcome: 'refused', status: 500 },
    { ...onTcp('RST', (socket) => socket.once('data', () => socket.resetAndDestroy())), ...NOBODY },
    { ...onTcp('hanging up', (socket) => socket.end()), ...NOBODY },
    { ...onTcp('no HTTP', (socket) => socket.end('220 mail.example.net ESMTP\r\n')), ...NOBODY },
    { ...onTcp('headers without end', (socket) => pourHeaders(socket, 64 * 1024, 1)), ...NOBODY },
    { ...onTcp('nobody there', () => {}), ...NOBODY, open: openNothing },
    { ...onTcp('https without TLS', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'https'), ...NO_TLS },
    { ...onTls('TLS without a certificate'), ...NO_TLS },
    { ...onTcp('no answer', () => {}), ...LATE },
    { ...onTcp('slow headers', (socket) => pourHeaders(socket, 10, 200)), ...LATE },
  ];
}

const NOBODY = { outcome: 'not_connected', status: null };
const NO_TLS = { outcome: 'tls_failed', status: null };
const LATE = { outcome: 'timed_out', status: null, slow: true };

type Named = Pick<BadReceiver, 'name' | 'open'>;

function answering(status: number, headers: Record<string, string> = {}): BadReceiver {
  const name = [status, ...Object.entries(headers).flat()].join(' ');
  return { ...onHttp(name, (_req, res) => res.writeHead(status, headers).end()), outcome: 'refused', status };
}

function onHttp(name: string, listener: RequestListener): Named {
  return { name, open: () => listen(createServer(listener), 'http') };
}

function onTcp(name: string, listener: (socket: Socket) => void, scheme = 'http'): Named {
  return { name, open: () => listen(createTcpServer(listener), scheme) };
}

function onTls(name: string): Named {
  return {
    name,
    open: () =>
      listen(
        createTlsServer().on('tlsClientError', () => {}),
        'https',
      ),
  };
}

async function listen(server: Server, scheme: string) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function openNothing() {
  const { url, close } = await listen(createTcpServer(), 'http');
  await close();
  return { url, close: async () => {} };
}

/** Starts a receiver that responds with this status and a body that never ends. */
export function openEndless(status: number): ReturnType<BadReceiver['open']> {
  return onHttp('a body without end', pourOut(status)).open();
}

function pourOut(status: number): RequestListener {
  return (_req, res) => {
    res.writeHead(status);
    const timer = setInterval(() => res.write('x'.repeat(4_096)), 1);
    res.on('close', () => clearInterval(timer));
  };
}

/** Sends headers without end: one line of `bytes` bytes every `every_ms` milliseconds. */
function pourHeaders(socket: Socket, bytes: number, every_ms: number): void {
  socket.write('HTTP/1.1 200 OK\r\n');
  const timer = setInterval(() => socket.write(`x: ${'y'.repeat(bytes)}\r\n`), every_ms);
  socket.on('close', () => clearInterval(timer));
  socket.resume();
}
