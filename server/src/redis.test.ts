import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { ClientOfflineError } from 'redis';
import { expect, test } from 'vitest';
import { connectRedis } from './redis.ts';

const silent = pino({ level: 'silent' });

test('connects in the background if Redis is down, and rejects commands immediately', async () => {
  const client = await connectRedis('redis://127.0.0.1:1', silent);

  await expect(client.get('anything')).rejects.toThrow(ClientOfflineError);
  client.destroy();
});

test('sends no commands to a Redis that accepts connections but never answers', async () => {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const mute = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined).on('data', (bytes) => received.push(String(bytes))));
  });
  await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening));
  const { port } = mute.address() as AddressInfo;

  const client = await connectRedis(`redis://127.0.0.1:${port}`, silent);

  await expect(client.get('anything')).rejects.toThrow(ClientOfflineError);
  client.destroy();
  expect(sockets).not.toEqual([]);
  expect(received.join('')).not.toContain('anything');
  for (const socket of sockets) socket.destroy();
  mute.close();
});
