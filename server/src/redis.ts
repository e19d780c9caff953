import type { Logger } from 'pino';
import type { RedisClientType } from 'redis';

const CONNECT_TIMEOUT_MS = 500;
const COMMAND_TIMEOUT_MS = 300;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1_000;

/**
 * Opens a Redis client that never delays requests for long. Without a connection, commands are rejected immediately
 * instead of queued. A command that cannot be sent fails after 300 ms. The client keeps reconnecting. Callers need a
 * fallback, even for commands that Redis never answers.
 */
export async function connectRedis(url: string, logger: Logger): Promise<RedisClientType> {
  // Imported here, because most servers run without Redis.
  const { createClient } = await import('redis');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: COMMAND_TIMEOUT_MS },
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: delayBefore },
  }) as RedisClientType;
  let down = false;
  client.on('error', (error: Error) => {
    if (!down)
      logger.warn({ cause: error }, 'Redis cannot be reached: rate limits are counted per process until it can');
    down = true;
  });
  client.on('ready', () => {
    if (down) logger.info('Redis can be reached again');
    down = false;
  });
  // Resolves with the first connection, which may never succeed, so the startup waits only briefly.
  const connecting = client.connect().catch(() => undefined);
  await Promise.race([connecting, new Promise((done) => setTimeout(done, CONNECT_TIMEOUT_MS).unref())]);
  return client;
}

/**
 * Delay in milliseconds: 50, doubling up to a second, with a random part, so that processes do not reconnect at the
 * same time.
 */
function delayBefore(retries: number): number {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(retries, 10));
  return delay / 2 + Math.random() * (delay / 2);
}
