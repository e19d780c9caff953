import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { guardedLookup } from './addresses.ts';
import { openEgress } from './post.ts';

const open = openEgress({ allowPrivate: true, ownHost: 'shop.example.com' });
const guarded = openEgress({ allowPrivate: false, ownHost: 'shop.example.com' });
afterAll(() => Promise.all([open.close(), guarded.close()]));

async function receiving(listener: RequestListener, test: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
}

test('an answer that never ends is cut off, and its status counts', async () => {
  await receiving(
    (_req, res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('x'.repeat(4_096)), 1);
      res.on('close', () => clearInterval(timer));
    },
    async (url) => expect(await open.post(url, {}, '{}')).toMatchObject({ outcome: 'succeeded', response_status: 200 }),
  );
});

test('a redirect is told as what it is, and not followed', async () => {
  let hits = 0;
  await receiving(
    (_req, res) => {
      hits += 1;
      res.writeHead(307, { Location: '/elsewhere' }).end();
    },
    async (url) => expect(await open.post(url, {}, '{}')).toMatchObject({ outcome: 'refused', response_status: 307 }),
  );
  expect(hits).toBe(1);
});

test('who hangs up, speaks no HTTP or is not there, is not connected', async () => {
  const rude = createTcpServer((socket) => socket.destroy());
  await new Promise<void>((listening) => rude.listen(0, '127.0.0.1', listening));
  const { port } = rude.address() as AddressInfo;
  expect(await open.post(`http://127.0.0.1:${port}/`, {}, '{}')).toMatchObject({ outcome: 'not_connected' });
  await new Promise((closed) => rude.close(closed));
  expect(await open.post(`http://127.0.0.1:${port}/`, {}, '{}')).toMatchObject({ outcome: 'not_connected' });
  expect(await open.post('http://nobody.invalid/', {}, '{}')).toMatchObject({ outcome: 'not_connected' });
});

test('a name that resolves to a private address is refused when it is connected to', async () => {
  let hits = 0;
  await receiving(
    (_req, res) => {
      hits += 1;
      res.end();
    },
    async (url) => {
      const lookup = guardedLookup({ allowPrivate: false, ownHost: '' });
      await new Promise<void>((done) =>
        lookup('localhost', {}, (error) => {
          expect(error?.message).toContain('public internet');
          done();
        }),
      );
      expect(await guarded.post(url, {}, '{}')).toMatchObject({ outcome: 'url_refused', response_status: null });
    },
  );
  expect(hits).toBe(0);
});
