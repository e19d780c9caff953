import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { asGuest, openAccount } from '../testing/customers.ts';
import { withNewKey } from '../testing/idempotent-requests.ts';
import { mailedSecret, takeMails } from '../testing/mails.ts';
import { MAKERS } from '../testing/objects.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { type Call, exchange, type Reply, targetOf } from '../testing/raw-requests.ts';
import { slotsOf } from '../testing/request-values.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';

/** Calls operations and pages under other host names, and checks the links in the responses and mails. */
export const B5: Proof = {
  id: 'B5',
  promise: 'Links begin with the configured URL, whatever host a request names.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      // The server runs behind a trusted proxy, because it then also reads headers such as X-Forwarded-Host.
      const server = await startServer(trial.databaseUrl, { trustProxy: 1, baseUrl: BASE_URL }, trial.databaseUrl);
      const forger = { world, tenant, baseUrl: server.baseUrl, links: 0 };
      const chance = chanceOf(trial.seed);
      let tried = 0;
      try {
        await takeMails(world, tenant.site_id);
        const plain = operationTable.filter((operation) => !makesLinks(operation));
        const looked = [
          ...operationTable.filter(makesLinks),
          ...chance.some(plain, pick(trial.size, 12, plain.length)),
        ];
        for (const operation of looked) {
          const links = makesLinks(operation);
          const some = chance.some(FORGERIES, pick(trial.size, links ? 2 : 1, FORGERIES.length));
          let call = await callFor(forger, operation);
          for (const forgery of some) {
            await forge(forger, call, forgery);
            // Builds a new call, because mails are sent only after a success, and most operations succeed only once per
            // object.
            if (links) call = await callFor(forger, operation);
          }
          tried += some.length;
          trial.progress(`${operation.id}, ${tried} requests, ${forger.links} links`);
        }
        for (const path of await pagesOf(forger)) tried += await forgePage(forger, path);
      } finally {
        await stopServer(server);
      }
      if (forger.links === 0) world.violations.add('No response contained a link, so the proof shows nothing');
      const note = `${forger.links} links looked at`;
      return { tried, unit: 'requests with a forged host', violations: world.violations.list, note } satisfies Figures;
    }),
};

const BASE_URL = 'https://shop.example';
/** The base URL in the mails of the proofs; see mails.ts. */
const MAILED_URL = 'http://localhost';
const EVIL = 'evil.example';

type Headers = Call['headers'];

/** Headers in which a request can contain a host name, in several forms. */
const FORGERIES: Headers[] = [
  { Host: EVIL },
  { Host: `${EVIL}:443` },
  { Host: `shop.example.${EVIL}` },
  { Host: `shop.example@${EVIL}` },
  { 'X-Forwarded-Host': EVIL },
  { 'X-Forwarded-Host': `shop.example, ${EVIL}` },
  { Forwarded: `for=192.0.2.1;host=${EVIL};proto=http` },
  { 'X-Forwarded-Proto': 'http', 'X-Forwarded-Host': EVIL, 'X-Forwarded-Port': '8443' },
  { 'X-Host': EVIL, 'X-Forwarded-Server': EVIL, 'X-HTTP-Host-Override': EVIL },
  { Origin: `https://${EVIL}`, Referer: `https://${EVIL}/shop` },
  { 'X-Original-URL': `https://${EVIL}/`, 'X-Rewrite-URL': `https://${EVIL}/`, 'X-Forwarded-Prefix': `//${EVIL}` },
  { 'X-Forwarded-For': EVIL, Via: `1.1 ${EVIL}`, 'X-Real-IP': EVIL },
];

interface Forger {
  world: World;
  tenant: Tenant;
  baseUrl: string;
  /** The number of links that were checked. */
  links: number;
}

/** Whether the responses or mails of an operation contain links. */
function makesLinks({ id }: Operation): boolean {
  return /checkout|register|verif|reset|updateCustomer|markOrderPaid|createFulfillment|cancelOrder/i.test(id);
}

/** Builds a valid call. If it contains an e-mail address, uses one to which the shop sends a mail. */
async function callFor({ world, tenant }: Forger, operation: Operation): Promise<Call> {
  const call = await validCall(world, tenant, operation);
  const asksAddress = slotsOf(operation, call.body).some(
    ({ at, in: place }) => place === 'body' && at.join() === 'email',
  );
  if (!operation.id.startsWith('storefront') || !asksAddress) return call;
  // Uses an e-mail address that has an account, because an unknown address gets no mail.
  const { rows } = await world.owner.query<{ email: string }>(
    'select email from commerce.customers where site_id = $1 and id = $2',
    [tenant.site_id, tenant.ids.customer[0]],
  );
  const wantsAnother = operation.id === 'storefront.updateCustomer' || operation.id === 'storefront.registerCustomer';
  const email = wantsAnother ? `${randomUUID()}@example.com` : rows[0]?.email;
  return operation.id === 'storefront.loginCustomer' ? call : { ...call, body: { ...(call.body as object), email } };
}

async function forge(forger: Forger, call: Call, forgery: Headers): Promise<void> {
  const { world, tenant, baseUrl } = forger;
  const { operation } = call;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers = {
    ...withNewKey(call).headers,
    ...forgery,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const reply = await exchange(baseUrl, operation.method.toUpperCase(), targetOf(call), headers, body);
  world.look(reply, tenant, operation.id);
  judge(forger, operation.id, reply);
  if (operation.method === 'get') return;
  for (const { subject, text, html } of await takeMails(world, tenant.site_id)) {
    judgeLinks(forger, `${operation.id}, the mail "${subject}"`, `${text}\n${html}`);
  }
}

function judge(forger: Forger, what: string, { headers, text }: Reply): void {
  const { 'access-control-allow-origin': origin, ...kept } = headers;
  // The CORS header is left out, because it may repeat the Origin of the request, and is not a link.
  const shown = `${JSON.stringify(kept)}\n${text}`;
  if (origin && origin !== '*' && origin !== `https://${EVIL}`)
    forger.world.violations.add(`${what}: CORS allows the forged origin ${origin}`);
  judgeLinks(forger, what, shown);
}

/** Matches URLs with paths of this server, on any host. */
const OURS = /(?:https?:)?\/\/[^\s"'<>\\]*?\/(?:checkout|account|api|docs|agent-consent)\/[^\s"'<>\\]*/g;

function judgeLinks(forger: Forger, what: string, shown: string): void {
  const at = shown.indexOf(EVIL);
  if (at >= 0)
    forger.world.violations.add(`${what}: shows the forged host: ${shown.slice(Math.max(0, at - 200), at + 100)}`);
  for (const [link] of shown.matchAll(OURS)) {
    forger.links += 1;
    if (![BASE_URL, MAILED_URL].some((base) => link.startsWith(`${base}/`))) {
      forger.world.violations.add(`${what}: a link leads to another host: ${link}`);
    }
  }
}

/** Lists the paths to test: public pages and endpoints, a checkout page, and the page that a mail links to. */
async function pagesOf({ world, tenant }: Forger): Promise<string[]> {
  const { checkout: [checkout_id = ''] = [] } = await MAKERS.checkout.make(world, tenant);
  const { checkout_url } = (await callAs(world, asGuest(tenant), 'storefront.getCheckout', undefined, {
    checkout_id,
  })) as { checkout_url: string };
  const { email } = await openAccount(world, tenant);
  await callAs(world, asGuest(tenant), 'storefront.requestPasswordReset', { email });
  const secret = await mailedSecret(world, tenant.site_id, email);
  const ours = [new URL(checkout_url).pathname, `/account/${tenant.site_id}/reset/${secret}`];
  return ['/docs', '/openapi.json', '/healthz', '/readyz', ...ours];
}

/** Expects the same page under every host name. Returns the number of requests. */
async function forgePage({ world, baseUrl }: Forger, path: string): Promise<number> {
  const usual = comparablePage(await exchange(baseUrl, 'GET', path, {}));
  for (const forgery of FORGERIES) {
    const actual = comparablePage(await exchange(baseUrl, 'GET', path, forgery));
    if (actual !== usual)
      world.violations.add(`${path} with ${JSON.stringify(forgery)}: ${actual} instead of ${usual}`);
  }
  return FORGERIES.length;
}

/**
 * Removes from a page the values that differ in each response, such as the time and the session cookie of a new
 * browser.
 */
function comparablePage({ status, headers, text }: Reply): string {
  const { date, etag, 'x-request-id': request, 'set-cookie': cookie, ...kept } = headers;
  const limits = Object.keys(kept).filter((name) => name.startsWith('ratelimit'));
  for (const name of limits) delete kept[name];
  return JSON.stringify([status, kept, text.replaceAll(/value="[A-Za-z0-9_-]{43}"/g, 'value="<token>"')]);
}
