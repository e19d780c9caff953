import { randomUUID } from 'node:crypto';
import { openEgress } from '../server/src/egress/post.ts';
import { RATE_LIMITS } from '../server/src/shop/rate-limits.ts';
import { startServer, stopServer } from '../server/test/server.ts';
import { exchange } from './client.ts';
import type { Trial } from './frame.ts';
import { NAMES, urlsOf } from './g4-forbidden-addresses.ts';
import { answerNames, dryNetwork } from './network.ts';
import { fieldsOf, REDIRECT_URI } from './oauth-flows.ts';
import { chanceOf } from './random.ts';
import type { World } from './tenant.ts';

/** What strangers can do with the doors that OAuth leaves open to everybody: registration, and documents to be fetched. */

/** Ids that point inside, in all the spellings of webhooks, to a server that fetches as one in production does. */
export async function pointInside(trial: Trial, world: World, count: number): Promise<number> {
  const egress = openEgress({ allowPrivate: false, ownHost: 'shop.example.com' });
  const server = await startServer(trial.databaseUrl, { egress }, trial.databaseUrl);
  const ports = [trial.databaseUrl, server.baseUrl, world.baseUrl].map((url) => Number(new URL(url).port || 5432));
  const network = dryNetwork(ports);
  const endNames = answerNames(NAMES);
  try {
    const [{ site_id }] = world.tenants;
    for (const url of urlsOf(chanceOf(trial.seed), count)) {
      const client_id = url.endsWith('/') ? `${url}client.json` : url;
      const query = new URLSearchParams(fieldsOf({ client_id, challenge: 'x'.repeat(43), state: 's' }));
      const { status } = await exchange(server.baseUrl, 'GET', `/sites/${site_id}/oauth/authorize?${query}`, {});
      if (status !== 400) world.violations.add(`${status} for the client ${client_id}`);
    }
    for (const address of network.forbidden) world.violations.add(`A client's document: connected to ${address}`);
    return count;
  } finally {
    endNames();
    network.end();
    await stopServer(server);
    await egress.close();
  }
}

/** One address registers as fast as it can, and then many do. */
export async function flood(trial: Trial, world: World): Promise<number> {
  const server = await startServer(trial.databaseUrl, { rateLimits: true, trustProxy: 1 }, trial.databaseUrl);
  try {
    const [, , { site_id }] = world.tenants;
    const register = async (address: string) => {
      const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], client_name: randomUUID() });
      const headers = { 'X-Forwarded-For': address };
      return (await exchange(server.baseUrl, 'POST', `/sites/${site_id}/oauth/register`, headers, body)).status;
    };
    const { client_registration: one, client_registration_site: all } = RATE_LIMITS;
    const ofOne = await Promise.all(Array.from({ length: 3 * one.points }, () => register('10.9.9.9')));
    judge(ofOne, one.points, 'one address');
    if (trial.size === 'short') return ofOne.length;
    const ofAll: number[] = [];
    for (let n = 0; n < all.points + 100; n += 1) ofAll.push(await register(`10.10.${n >> 8}.${n & 255}`));
    judge(ofAll, all.points - one.points, 'all addresses');
    return ofOne.length + ofAll.length;
  } finally {
    await world.owner.query(`delete from commerce.rate_counts`);
    await stopServer(server);
  }

  function judge(statuses: number[], limit: number, who: string): void {
    const made = statuses.filter((status) => status === 201).length;
    const refused = statuses.filter((status) => status === 429).length;
    if (made > limit || made + refused !== statuses.length) {
      world.violations.add(`${who}: ${made} registrations, ${refused} refused, of ${statuses.length}`);
    }
  }
}
