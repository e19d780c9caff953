import { pino } from 'pino';
import { connectRedis } from '../redis.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Checks Redis. Redis is optional, so a missing one is at most a warning. */
export async function checkRedis(url: string | undefined): Promise<Finding> {
  if (!url) return ok('redis', 'not used: rate limits are counted per process');
  const client = await connectRedis(url, pino({ level: 'silent' }));
  try {
    await client.ping();
    return ok('redis', new URL(url).host);
  } catch (error) {
    const mend =
      'Start Redis or correct REDIS_URL. Until then rate limits are counted per process; nothing else changes.';
    return warning('redis', `${new URL(url).host} does not answer: ${(error as Error).message}`, mend);
  } finally {
    client.destroy();
  }
}
