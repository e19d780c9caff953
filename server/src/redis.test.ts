import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connectRedis } from './redis.ts';

const silent = pino({ level: 'silent' });

/** Milliseconds until a command is refused. */
async function timeToRefusal(url: string): Promise<{ connecting: number; refusing: number }> {
  const began = performance.now();
  const client = await connectRedis(url, silent);
  const connected = performance.now();
  await expect(client.get('anything')).rejects.toThrow();
  const refusing = performance.now() - connected;
  client.destroy();
  return { connecting: connected - began, refusing };
}

test('a Redis that is not there delays the start by half a second at most, and a command not at all', async () => {
  const { connecting, refusing } = await timeToRefusal('redis://127.0.0.1:1');

  expect(connecting).toBeLessThan(3_000);
  expect(refusing).toBeLessThan(1_000);
});

test('a Redis that accepts and never answers is no worse', async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
  const { port } = mute.address() as AddressInfo;

  const { connecting, refusing } = await timeToRefusal(`redis://127.0.0.1:${port}`);

  expect(connecting).toBeLessThan(3_000);
  expect(refusing).toBeLessThan(500);
  for (const socket of sockets) socket.destroy();
  mute.close();
});
