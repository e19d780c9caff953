import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request to a webhook receiver. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: { type: string; timestamp: string; data: Record<string, unknown>; test?: boolean };
}

/** The response: a status, or a status with headers and a body. Undefined sends no response. */
type ReceiverAnswer = number | [number, Record<string, string>, string?] | undefined;

/** Starts a receiver that records requests, and responds with 204 by default. */
export async function openReceiver(answer: (received: Received, count: number) => ReceiverAnswer = () => 204) {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one = { headers: req.headers, body, event: JSON.parse(body) };
      received.push(one);
      const given = answer(one, received.length);
      const [status, headers, text] = Array.isArray(given) ? given : [given, {}];
      if (typeof status === 'number') res.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    /** Waits until this many requests have arrived. */
    async until(count: number) {
      await waitFor(() => received.length >= count);
      return received;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Waits until the condition is true. Throws after `longestMs` milliseconds, by default 20 seconds. */
export async function waitFor(condition: () => boolean | Promise<boolean>, longestMs = 20_000): Promise<void> {
  for (let tries = 0; tries < longestMs / 25; tries += 1) {
    if (await condition()) return;
    await pause(25);
  }
  throw new Error(`The awaited condition was not met within ${longestMs / 1_000} seconds.`);
}
