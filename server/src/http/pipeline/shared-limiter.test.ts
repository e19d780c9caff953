import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectRedis } from '../../redis.ts';
import { sharedLimiters } from './shared-limiter.ts';

/** While true, the fake Redis accepts connections but does not answer. */
let mute = false;
const sockets: Socket[] = [];
const redis = createServer((socket) => {
  sockets.push(socket.on('error', () => undefined));
  socket.on('data', (chunk) => {
    const commands = chunk.toString().match(/^\*\d+\r$/gm) ?? [];
    if (!mute) socket.write('+OK\r\n'.repeat(commands.length));
  });
});
beforeAll(() => new Promise<void>((listening) => redis.listen(0, '127.0.0.1', listening)));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  redis.close();
});

test('counts requests in the server process while Redis does not respond', async () => {
  const { port } = redis.address() as AddressInfo;
  const client = await connectRedis(`redis://127.0.0.1:${port}`, pino({ level: 'silent' }));
  const limiter = sharedLimiters(client)({ keyPrefix: 'test', points: 3, duration: 60 });
  await expect.poll(() => client.isReady).toBe(true);

  mute = true;
  expect(await limiter.get('june')).toBeNull();
  for (const remainingPoints of [2, 1, 0]) expect(await limiter.consume('june')).toMatchObject({ remainingPoints });
  await expect(limiter.consume('june')).rejects.toMatchObject({ remainingPoints: 0 });
  client.destroy();
});
