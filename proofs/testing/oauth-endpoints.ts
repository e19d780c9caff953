/** Attacks on the public OAuth endpoints: registration, and client documents that the server fetches. */

import { randomUUID } from 'node:crypto';
import { startServer, stopServer } from '../../server/test/server.ts';
import { sendInside } from './internal-addresses.ts';
import { fieldsOf, REDIRECT_URI } from './oauth-flows.ts';
import type { Trial } from './proof.ts';
import { exchange } from './raw-requests.ts';
import type { World } from './tenant.ts';

/** Sends client ids with internal URLs, from which the server must fetch nothing. Returns their number. */
export function pointInside(trial: Trial, world: World, count: number): Promise<number> {
  const [tenant] = world.tenants;
  return sendInside(trial, world, count, async (baseUrl, url) => {
    const client_id = url.endsWith('/') ? `${url}client.json` : url;
    const query = new URLSearchParams(fieldsOf({ tenant, client_id, challenge: 'x'.repeat(43), state: 's' }));
    const { status } = await exchange(baseUrl, 'GET', `/sites/${tenant.site_id}/oauth/authorize?${query}`, {});
    if (status !== 400) world.violations.add(`the client ${client_id}: expected 400, got ${status}`);
  });
}

const MANY = 600;

/**
 * Registers many clients concurrently from one IP address. Except in the short form, also registers one client from
 * each of many addresses. Returns the number of requests.
 */
export async function flood(trial: Trial, world: World): Promise<number> {
  const server = await startServer(trial.databaseUrl, { rateLimits: true, trustProxy: 1 }, trial.databaseUrl);
  try {
    const [, , { site_id }] = world.tenants;
    const register = async (address: string) => {
      const body = JSON.stringify({ redirect_uris: [REDIRECT_URI], client_name: randomUUID() });
      const headers = { 'X-Forwarded-For': address };
      return (await exchange(server.baseUrl, 'POST', `/sites/${site_id}/oauth/register`, headers, body)).status;
    };
    const points = 20;
    const ofOne = await Promise.all(Array.from({ length: 3 * points }, () => register('10.9.9.9')));
    judge(ofOne, points, 'one address');
    if (trial.size === 'short') return ofOne.length;
    // Registrations from many IP addresses must not block further registrations.
    const ofAll: number[] = [];
    for (let n = 0; n < MANY; n += 1) ofAll.push(await register(`10.10.${n >> 8}.${n & 255}`));
    const refused = ofAll.filter((status) => status !== 201).length;
    if (refused > 0)
      world.violations.add(`${refused} of ${MANY} registrations from as many addresses were rejected, expected none`);
    return ofOne.length + ofAll.length;
  } finally {
    await world.owner.query(`delete from commerce.rate_counts`);
    await stopServer(server);
  }

  function judge(statuses: number[], limit: number, who: string): void {
    const made = statuses.filter((status) => status === 201).length;
    const refused = statuses.filter((status) => status === 429).length;
    if (made > limit || made + refused !== statuses.length) {
      world.violations.add(
        `${who}: of ${statuses.length} registrations ${made} were accepted and ${refused} rejected, which is not the limit`,
      );
    }
  }
}
