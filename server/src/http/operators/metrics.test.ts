import { expect, onTestFinished, test } from 'vitest';
import { startServer, stopServer } from '../../../test/server.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import type { MetricsAccess } from './expose-text.ts';

const TOKEN = 'a-token-of-the-scraper';

async function statusFor(metricsAccess: MetricsAccess, ...authorizations: string[]): Promise<number[]> {
  const server = await startServer(databaseUrl(), { metricsAccess });
  onTestFinished(() => stopServer(server));
  const statuses: number[] = [];
  for (const Authorization of authorizations) {
    const headers = { ...(Authorization && { Authorization }) };
    statuses.push((await fetch(`${server.baseUrl}/metrics`, { headers })).status);
  }
  return statuses;
}

test('/metrics answers 404 if it is not enabled', async () => {
  expect(await statusFor({ open: false, token: undefined }, '', `Bearer ${TOKEN}`)).toEqual([404, 404]);
});

test('/metrics requires the token if one is set (otherwise 401)', async () => {
  const given = ['', 'Bearer another-token-of-16', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN}`];

  expect(await statusFor({ open: false, token: TOKEN }, ...given)).toEqual([401, 401, 401, 401, 200]);
  expect(await statusFor({ open: true, token: TOKEN }, '')).toEqual([401]);
});
