import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { DemoCredentials } from '../demo/stored.ts';
import { greeting } from './greeting.ts';
import type { Serving, Started } from './serve.ts';

/**
 * Logs that the server listens. Outside of production, prints the greeting instead. If there is a demo shop, the
 * greeting contains a checkout to try.
 */
export async function announce({ config, logger, database }: Started, { db, demo }: Serving): Promise<void> {
  const { production, port, role, baseUrl, smtpUrl, dataDir } = config;
  const seconds = process.uptime();
  if (production) return logger.info({ port, role }, 'listening');
  const lines = greeting({
    version: manifest.version,
    baseUrl,
    database: database.description,
    mails: smtpUrl ? 'sent by SMTP' : `written to ${join(dataDir, 'outbox')}`,
    demo,
    demoFile: join(dataDir, 'demo.json'),
    checkoutUrl: demo && (await demoCheckout(config, db, demo)),
    seconds,
  });
  process.stdout.write(lines);
}

/**
 * The pause before the checkout code is loaded. Loading it blocks the event loop for tens of milliseconds, so requests
 * that have already arrived are served first.
 */
const PAUSE_MS = 50;

async function demoCheckout(config: Config, db: pg.Pool, { site_id }: DemoCredentials): Promise<string | undefined> {
  await sleep(PAUSE_MS);
  const { openCheckout } = await import('../demo/example-checkout.ts');
  return openCheckout(db, site_id, config);
}
