import { createSocket } from 'node:dgram';
import { createServer, type RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import os, { type NetworkInterfaceInfo } from 'node:os';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { checkRegistration } from '../shop/webhooks/registration.ts';
import { guardedLookup } from './addresses.ts';
import { resolver } from './names.ts';
import { openEgress } from './post.ts';

const policy = { allowPrivate: false, ownHost: 'shop.example.com' };
const open = openEgress({ ...policy, allowPrivate: true });
const guarded = openEgress(policy);
afterAll(() => Promise.all([open.close(), guarded.close()]));

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Sets the answers of the fake DNS. */
function answering(names: Record<string, string[]>): void {
  const answer = async (name: string): Promise<never> => (names[name] ?? []) as never;
  vi.spyOn(resolver, 'resolve4').mockImplementation(answer);
  vi.spyOn(resolver, 'resolve6').mockResolvedValue([] as never);
}

async function receiving(listener: RequestListener, test: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
}

test('stops reading an endless response, and returns its status', async () => {
  await receiving(
    (_req, res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write('x'.repeat(4_096)), 1);
      res.on('close', () => clearInterval(timer));
    },
    async (url) => expect(await open.post(url, {}, '{}')).toMatchObject({ outcome: 'succeeded', response_status: 200 }),
  );
});

test('reports a redirect and does not follow it', async () => {
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

test('reports `not_connected` for a host that hangs up, refuses the connection or does not exist', async () => {
  const rude = createTcpServer((socket) => socket.destroy());
  await new Promise<void>((listening) => rude.listen(0, '127.0.0.1', listening));
  const { port } = rude.address() as AddressInfo;
  expect(await open.post(`http://127.0.0.1:${port}/`, {}, '{}')).toMatchObject({ outcome: 'not_connected' });
  await new Promise((closed) => rude.close(closed));
  expect(await open.post(`http://127.0.0.1:${port}/`, {}, '{}')).toMatchObject({ outcome: 'not_connected' });
  expect(await open.post('http://nobody.invalid/', {}, '{}')).toMatchObject({ outcome: 'not_connected' });
});

test('does not connect to a host name that resolves to a private address (url_refused)', async () => {
  let hits = 0;
  await receiving(
    (_req, res) => {
      hits += 1;
      res.end();
    },
    async (url) => {
      answering({ 'inside.example.net': ['93.184.215.14', '127.0.0.1'] });
      const lookup = guardedLookup({ allowPrivate: false, ownHost: '' });
      await new Promise<void>((done) =>
        lookup('inside.example.net', {}, (error) => {
          expect(error?.message).toContain('public internet');
          done();
        }),
      );
      const refused = { outcome: 'url_refused', response_status: null };
      expect(await guarded.post('https://inside.example.net/', {}, '{}')).toMatchObject(refused);
      expect(await guarded.post(url, {}, '{}')).toMatchObject(refused);
    },
  );
  expect(hits).toBe(0);
});

test('rejects the server’s own IP addresses under any host name (url_refused)', async () => {
  const [named, bound] = ['93.184.215.20', '93.184.215.21'];
  const own = { allowPrivate: false, ownHost: 'own.example.com' };
  const guarded = openEgress(own);
  const names = { 'own.example.com': [named], 'alias.example.net': [named], 'bound.example.net': [bound] };
  answering(names);
  vi.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: [{ address: bound } as NetworkInterfaceInfo] });
  syncBuiltinESMExports();
  for (const host of ['alias.example.net', 'bound.example.net', named, bound]) {
    expect(await guarded.post(`https://${host}/`, {}, '{}')).toMatchObject({ outcome: 'url_refused' });
    const registered = checkRegistration(`https://${host}/`, own);
    await expect(registered).rejects.toMatchObject({ detail: [{ type: 'url_refused' }] });
  }
  answering({ ...names, 'other.example.net': ['93.184.215.22'] });
  await checkRegistration('https://other.example.net/', own);
  await guarded.close();
});

test('unresponsive DNS servers do not delay requests to other hosts', async () => {
  const asked = new Set<string>();
  const mute = createSocket('udp4');
  mute.on('message', (question) => asked.add(question.toString('latin1').match(/dead\d+/)?.[0] ?? ''));
  await new Promise<void>((bound) => mute.bind(0, '127.0.0.1', bound));
  const servers = resolver.getServers();
  resolver.setServers([`127.0.0.1:${mute.address().port}`]);
  let pending = 20;
  const dead = Array.from({ length: 20 }, async (_, number) => {
    const { outcome } = await guarded.post(`https://dead${number}.example.net/`, {}, '{}');
    pending -= 1;
    return outcome;
  });
  await vi.waitFor(() => expect(asked.size).toBe(20), { timeout: 20_000 });
  await receiving(
    (_req, res) => res.end(),
    async (url) => {
      const named = url.replace('127.0.0.1', 'localhost');
      expect(await open.post(named, {}, '{}')).toMatchObject({ outcome: 'succeeded' });
    },
  );
  expect(pending).toBe(20);
  for (const outcome of await Promise.all(dead)) expect(['timed_out', 'not_connected']).toContain(outcome);
  resolver.cancel();
  resolver.setServers(servers);
  mute.close();
});

test('a URL that does not respond does not delay other URLs of the same host', async () => {
  await receiving(
    (req, res) => {
      if (req.url === '/quick') res.end();
    },
    async (url) => {
      const egress = openEgress({ allowPrivate: true, ownHost: '' });
      const hanging = Array.from({ length: 60 }, () => egress.post(`${url}mute`, {}, '{}'));
      expect(await egress.post(`${url}quick`, {}, '{}')).toMatchObject({ outcome: 'succeeded' });
      await egress.close();
      await Promise.all(hanging);
    },
  );
});
