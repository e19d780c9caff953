import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { openReceiver, type Received } from '../../server/test/receiver.ts';
import { Buyers } from '../testing/buyers.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { type EventShop, eventShopOf } from '../testing/webhook-shop.ts';

const PATIENCE_MS = 60_000;
const TYPES = [...['product.created', 'customer.created'], ...['order.created', 'order.paid', 'webhook.ping']];

/**
 * Two shops sell and send events to receivers that respond with secrets, while the server's log level is the most
 * detailed.
 */
export const G7: Proof = {
  id: 'G7',
  promise: 'Neither events nor attempts nor the log contain a secret, an e-mail address, or data of another shop.',
  run: (trial) =>
    withDirectory((directory) => withOwnDatabase(trial.databaseUrl, (url) => attack(trial, directory, url))),
};

interface Party {
  buyers: Buyers;
  shop: EventShop;
  /** One receiver that accepts deliveries, and one that rejects them. */
  receivers: Awaited<ReturnType<typeof openReceiver>>[];
  /** Secrets that must not be revealed to anybody. */
  secrets: string[];
  /** The e-mail address of a customer that staff have added. */
  customer: string;
}

async function attack({ size }: Trial, directory: string, databaseUrl: string) {
  const orders = pick(size, 2, 200);
  const violations = new Violations();
  const secretKey = `${randomUUID()}${randomUUID()}`;
  const server = new ServerProcess(await freePort(), {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, SECRET_KEY: secretKey, DEMO_SHOP: 'off', LOG_LEVEL: 'trace' },
    ...{ RATE_LIMITS: 'off', TRUST_PROXY: '1', BASE_URL: 'http://127.0.0.1' },
  });
  const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 1 }));
  const parties: Party[] = [];
  try {
    while (server.running && !(await server.ready()));
    while (parties.length < 2) parties.push(await open(databaseUrl, server.baseUrl));
    for (const { buyers } of parties) buyers.begin(1);
    await Promise.all(parties.map(({ buyers }) => buyers.moreOrders(orders, PATIENCE_MS)));
    await Promise.all(parties.map(({ buyers }) => buyers.rest()));
    for (const { buyers } of parties) for (const failure of buyers.failures) violations.add(failure);
    await allAttempted(owner);
    // Events may contain data of the shop's own customers, but not of other shops. The log may contain no e-mail
    // address of a customer.
    const hidden = [secretKey, ...parties.flatMap(({ secrets }) => secrets)];
    const emails = parties.flatMap(({ buyers, customer }) => [...buyers.emails, customer]);
    let tried = 0;
    const scan = (what: string, text: string, foreign: string[] = []) => {
      tried += 1;
      for (const secret of [...hidden, ...foreign])
        if (text.includes(secret)) violations.add(`${what} contains the secret ${secret}: ${text.slice(0, 500)}`);
    };
    for (const party of parties) {
      const [other] = parties.filter((one) => one !== party);
      const foreign = [
        ...(await idsOf(owner, other?.shop.site_id ?? '')),
        ...(other ? [...other.buyers.emails, other.customer] : []),
      ];
      const received = party.receivers.flatMap((receiver) => receiver.received);
      judgeTypes(received, violations);
      for (const { body, headers } of received) scan('An event', `${JSON.stringify(headers)} ${body}`, foreign);
      for (const text of await shown(party.shop)) scan('The delivery as staff see it', text, foreign);
    }
    for (const line of `${server.output}\n${server.errors}`.split('\n')) scan('The log', line, emails);
    if (!server.output.includes('"level":"debug"'))
      violations.add('The log has no debug lines, so the proof checks too little');
    const note = `${hidden.length + emails.length} secrets and addresses looked for in each text`;
    return { tried, unit: 'texts', violations: violations.list, note };
  } finally {
    for (const { buyers } of parties) await buyers.rest();
    await server.end('SIGTERM');
    await owner.end();
    for (const { receivers } of parties) for (const receiver of receivers) await receiver.close();
  }
}

/**
 * Opens a shop whose receivers respond with text that must not be stored, at URLs with parts that must not be revealed.
 */
async function open(databaseUrl: string, baseUrl: string): Promise<Party> {
  const buyers = await Buyers.open({ databaseUrl, servers: [baseUrl], retries: 3 });
  const { api_key, storefront_token, sync_secret, staff } = buyers.credentials;
  const shop = eventShopOf(buyers.credentials, () => [baseUrl]);
  const [answered, token] = [randomUUID(), randomUUID()];
  const secrets = [api_key, storefront_token, sync_secret, staff.password, answered, token];
  const receivers: Party['receivers'] = [];
  for (const status of [200, 500]) {
    const receiver = await openReceiver(() => [status, { 'X-Secret': answered, 'Set-Cookie': `session=${answered}` }]);
    receivers.push(receiver);
    const { id, secret } = await shop.addWebhook(`${receiver.url}?token=${token}`, TYPES);
    const rotated = await shop.call<{ secret: string }>('POST', `/api/dashboard/webhooks/${id}/rotate`);
    await shop.call('POST', `/api/dashboard/webhooks/${id}/test`);
    secrets.push(...[secret, rotated.secret].map((one) => one.replace('whsec_', '')));
  }
  const email = `${randomUUID()}@example.com`;
  await shop.call('POST', '/api/dashboard/customers', { email });
  await shop.call('POST', '/api/dashboard/products', { name: 'Jug', price: '1.00', status: 'active' });
  return { buyers, shop, receivers, secrets, customer: email };
}

/** Waits until each delivery has been attempted. */
async function allAttempted(owner: pg.Pool): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const { rowCount } = await owner.query('select from commerce.webhook_deliveries where attempts_count = 0 limit 1');
    if (rowCount === 0) return;
  }
  throw new Error('Not all was attempted.');
}

/** Returns the ids of a shop's objects, which no other shop may see. */
async function idsOf(owner: pg.Pool, site_id: string): Promise<string[]> {
  const tables = ['products', 'variants', 'orders', 'customers', 'webhooks', 'events', 'webhook_deliveries'];
  const parts = tables.map((table) => `select id from commerce.${table} where site_id = $1`);
  const { rows } = await owner.query<{ id: string }>(parts.join(' union all '), [site_id]);
  return [site_id, ...rows.map(({ id }) => id)];
}

/** Returns the newest 100 deliveries of a shop with their attempts, as staff see them. */
async function shown({ call }: EventShop): Promise<string[]> {
  const path = '/api/dashboard/webhook-deliveries';
  const { deliveries } = await call<{ deliveries: { id: string }[] }>('GET', `${path}?limit=100`);
  const details: string[] = [JSON.stringify(deliveries)];
  for (const { id } of deliveries) details.push(JSON.stringify(await call('GET', `${path}/${id}`)));
  return details;
}

function judgeTypes(received: Received[], violations: Violations): void {
  const sentTypes = new Set(received.map(({ event }) => event.type));
  for (const type of TYPES)
    if (!sentTypes.has(type)) violations.add(`No event of ${type} was sent, so it was not checked`);
}
