/** Well-formed UCP requests that must be rejected, or that must not reserve stock. */

import { randomUUID } from 'node:crypto';
import { publishProfile } from '../../server/test/ucp.ts';
import { newCustomer, openAgent } from '../testing/agents.ts';
import { exchange, type Reply } from '../testing/raw-requests.ts';
import { stapleOf } from '../testing/sales.ts';
import type { World } from '../testing/tenant.ts';
import { type Asked, answerIn, type Speaker, WAYS, type Wire } from '../testing/ucp.ts';

/**
 * Reuses each Idempotency-Key for other requests, and checks that guests reserve no stock. Returns the number of
 * requests.
 */
export async function misuseUcp(world: World): Promise<number> {
  const [tenant] = world.tenants;
  const { id: customer_id } = await newCustomer(world, tenant);
  const { secret } = await openAgent(world, tenant, customer_id);
  const own = await publishProfile();
  const speaker = { baseUrl: world.baseUrl, site_id: tenant.site_id, profile: own.url };
  const item = { id: await stapleOf(world, tenant) };
  let tried = 0;
  try {
    for (const [who, one] of Object.entries({ 'an agent': { ...speaker, secret }, 'a guest': speaker })) {
      for (const [way, wire] of Object.entries(WAYS)) {
        const key = randomUUID();
        const send = async (name: Asked['name'], quantity: number): Promise<Reply> => {
          const asked = { name, body: { line_items: [{ item, quantity }] } };
          const { method, path, headers, message } = underKey(wire, one, asked, key);
          tried += 1;
          return exchange(world.baseUrl, method, path, headers, JSON.stringify(message));
        };
        const first = answerIn(await send('create_checkout', 1));
        const again = answerIn(await send('create_checkout', 1));
        if (typeof first?.id !== 'string' || first.id !== again?.id)
          world.violations.add(`${who} over ${way}: the repetition returned ${again?.id} instead of ${first?.id}`);
        for (const other of [await send('create_checkout', 2), await send('create_cart', 1)]) {
          if (!other.text.includes('idempotency_conflict'))
            world.violations.add(
              `${who} over ${way}: a different request with the same key: expected idempotency_conflict, got ${other.status} ${other.text.slice(0, 300)}`,
            );
        }
      }
    }
    const { rows } = await world.owner.query(
      `select k.id from commerce.checkouts k join commerce.stock_reservations r on r.site_id = k.site_id and r.checkout_id = k.id
       where k.site_id = $1 and k.guest_profile_id is not null`,
      [tenant.site_id],
    );
    if (rows.length > 0) world.violations.add(`${rows.length} checkouts of agents without a token reserve stock`);
    return tried;
  } finally {
    await own.close();
  }
}

/** Sets the idempotency key of a request: in a header for REST, in the message for MCP. */
function underKey(wire: (speaker: Speaker, asked: Asked) => Wire, speaker: Speaker, asked: Asked, key: string): Wire {
  const { headers, message, ...rest } = wire(speaker, asked);
  const isRest = 'Idempotency-Key' in headers;
  const own = JSON.parse(JSON.stringify(message).replace(/("idempotency-key":")[^"]*/, `$1${key}`)) as unknown;
  return { ...rest, message: own, headers: isRest ? { ...headers, 'Idempotency-Key': key } : headers };
}
