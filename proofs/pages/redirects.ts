import { randomUUID } from 'node:crypto';
import { readHost } from '../../server/src/shop/merchant/domains.ts';
import { type BareListener, openListener } from '../testing/operators.ts';
import { onlyVariantOf, putInCarts, putOnSale, takeTransfers } from '../testing/products-and-checkouts.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { exchange, type Reply } from '../testing/raw-requests.ts';
import { type OpenShop, onPremises, type Premises } from '../testing/test-server.ts';
import { tokenPattern } from '../testing/token-pattern.ts';
import { followInChromium } from './followed-urls.ts';
import { type Cast, hostileAddresses } from './hostile-urls.ts';

/** Tries URLs that could mislead a shopper, in the places that accept one, and as host names of the server. */
export const K5: Proof = {
  id: 'K5',
  promise: 'Shoppers are only sent to URLs of the shop, whatever a link contains, and no secret of a link leaks.',
  run: (trial) =>
    onPremises(
      trial,
      async (premises) => {
        const listener = await openListener(trial.databaseUrl, { causes: premises.causes, configured: BASE_URL });
        const scene = await givenScene(premises, listener);
        const values = hostileAddresses(chanceOf(trial.seed), scene.cast, pick(trial.size, 15, 2_000));
        for (const value of values) {
          for (const play of [asWayBack, asReturnOfPayment, asStorefront, asHost, asNewHost, inLinkToBuy])
            await play(scene, value);
        }
        const browser = await followInChromium(trial, scene, values, pick(trial.size, 3, 120));
        await listener.close();
        const { accepted } = scene;
        if (accepted.size === 0) premises.violations.add('No address was accepted, so none was followed.');
        const note = `${scene.requests} requests, ${accepted.size} addresses accepted, ${scene.links} links read, ${browser}`;
        const tried = values.length * FIELDS;
        return { tried, unit: 'hostile values', violations: premises.violations.list, note };
      },
      { baseUrl: BASE_URL },
    ),
};

const BASE_URL = 'https://commerce.example';
/**
 * The number of places where URLs are sent: return_url, cancel_url, payment.return_url, the settings (storefront_url
 * with logo and terms), the Host header, the operators' list of hosts, and buy links.
 */
const FIELDS = 7;
const SECRETS = tokenPattern('{8}');

/** A shop with its own host, a storefront and an allowed origin, and with checkouts in several states. */
export interface Scene {
  premises: Premises;
  shop: OpenShop;
  /** A variant that is on sale. */
  variant_id: string;
  cast: Cast;
  host: string;
  /** The operators' listener with an operator key. */
  operators: { baseUrl: string; key: string };
  otherHost: string;
  /** The origins of this server. */
  ours: string[];
  /** Four checkouts: open, ordered, with a pending payment, and one for which payments are started repeatedly. */
  open: Opened;
  ordered: Opened;
  paying: Opened;
  payable: Opened;
  payment_id: string;
  accepted: Set<string>;
  requests: number;
  links: number;
}

interface Opened {
  id: string;
  path: string;
}

async function givenScene(premises: Premises, listener: BareListener): Promise<Scene> {
  const [shop, other] = [await premises.openShop(), await premises.openShop()];
  const [host, otherHost] = [await giveHost(premises, shop), await giveHost(premises, other)];
  const origin = (label: string) => `https://${label}.${shop.site_id}.example`;
  const [storefront, allowed] = [origin('www'), `${origin('app')}:8443`];
  await takeTransfers(shop);
  const settings = { storefront_url: `${storefront}/`, allowed_origins: [allowed] };
  await shop.must('dashboard.updateSettings', { body: settings });
  const variant_id = onlyVariantOf(await putOnSale(shop, { inventory_quantity: 100 }));
  const begin = async (payment_method: 'card' | 'bank_transfer'): Promise<Opened> => {
    const [cart_id = ''] = await putInCarts(shop, [[{ variant_id, quantity: 1 }]]);
    const { id } = await shop.must('storefront.createCheckout', { body: { cart_id } });
    const body = { email: 'june@example.com', payment_method };
    const { checkout_url } = await shop.must('storefront.updateCheckout', { path: { checkout_id: id }, body });
    return { id, path: new URL(checkout_url ?? '').pathname };
  };
  const [open, ordered, paying, payable] = [
    await begin('bank_transfer'),
    await begin('bank_transfer'),
    await begin('card'),
    await begin('card'),
  ];
  await shop.must('storefront.completeCheckout', { path: { checkout_id: ordered.id }, body: {} });
  const payment_id = await beginPayment(shop, paying.id, `${storefront}/`);
  return {
    operators: { baseUrl: listener.baseUrl, key: (await listener.mint('proof')).secret },
    ...{ premises, shop, variant_id, host, otherHost, open, ordered, paying, payable },
    payment_id: payment_id ?? '',
    cast: {
      own: [storefront, allowed, `https://${host}`],
      foreign: ['https://evil.example', `https://${otherHost}`, `https://www.${other.site_id}.example`, BASE_URL],
    },
    ours: [`https://${host}`, BASE_URL],
    accepted: new Set(),
    requests: 0,
    links: 0,
  };
}

async function giveHost({ owner, hosts }: Premises, { site_id }: OpenShop): Promise<string> {
  const host = `pay.${site_id}.example`;
  await owner.query('insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)', [
    host,
    site_id,
  ]);
  await hosts.reload();
  return host;
}

/** Starts a payment. Returns its id; undefined if the URL was rejected. */
async function beginPayment(shop: OpenShop, checkout_id: string, return_url: string): Promise<string | undefined> {
  const body = { payment: { return_url } };
  const { status, refusal } = await shop.ask('storefront.completeCheckout', { path: { checkout_id }, body });
  if (status === 422) return undefined;
  if (refusal?.error !== 'payment_action_required') throw new Error(`${status} ${JSON.stringify(refusal)}`);
  const { payment } = await shop.must('storefront.getCheckout', { path: { checkout_id } });
  return payment?.id;
}

/**
 * Tries the value as return_url and cancel_url: sent to the API, and stored in the database as if an earlier rule had
 * allowed it.
 */
async function asWayBack(scene: Scene, value: string): Promise<void> {
  const { shop, open, ordered, cast } = scene;
  const body = { return_url: value, cancel_url: value };
  const { status, data } = await shop.ask('storefront.updateCheckout', { path: { checkout_id: open.id }, body });
  scene.requests += 1;
  if (status !== 200 && status !== 422)
    scene.premises.violations.add(`return_url ${JSON.stringify(value)}: expected 200 or 422, got ${status}`);
  if (data) judgeAccepted(scene, value, [data.return_url, data.cancel_url]);
  await plant(scene, 'update commerce.checkouts set return_url = $2, cancel_url = $2 where id = any($1)', value, [
    open.id,
    ordered.id,
  ]);
  for (const { path } of [open, ordered]) await judgePage(scene, value, path, cast.own);
  await plant(
    scene,
    'update commerce.checkouts set return_url = nullif($2, $2), cancel_url = null where id = any($1)',
    '',
    [open.id],
  );
}

async function asReturnOfPayment(scene: Scene, value: string): Promise<void> {
  const { shop, payable, paying, payment_id } = scene;
  const begun = await beginPayment(shop, payable.id, value);
  scene.requests += 1;
  if (begun) {
    judgeAccepted(scene, value, [value]);
    await judgePage(scene, value, `${payable.path}/return?payment=${begun}`, scene.cast.own);
    await shop.must('storefront.cancelCheckoutPayment', { path: { checkout_id: payable.id } });
  }
  await plant(scene, 'update commerce.payments set return_url = $2 where id = any($1)', value, [payment_id]);
  await judgePage(scene, value, `${paying.path}/return?payment=${payment_id}`, scene.cast.own);
}

/**
 * Tries the value in the settings. A storefront may be on any host, but only if browsers parse the URL as it is
 * written.
 */
async function asStorefront(scene: Scene, value: string): Promise<void> {
  const { shop, open, cast } = scene;
  const body = { storefront_url: value, legal: { terms_url: value }, brand: { logo_url: value } };
  const { status } = await shop.ask('dashboard.updateSettings', { body });
  scene.requests += 1;
  if (status !== 200) return;
  const { protocol, username, password, host, origin } = new URL(value);
  if (protocol !== 'https:' || username || password || !standsIn(value, host)) {
    scene.premises.violations.add(`${JSON.stringify(value)} is accepted as storefront, and leads to ${origin}`);
  }
  await judgePage(scene, value, open.path, [...cast.own, origin]);
  const restored = { storefront_url: `${cast.own[0]}/`, legal: {}, brand: {} };
  await shop.must('dashboard.updateSettings', { body: restored });
}

/**
 * Whether the URL literally begins with the host that browsers open. Non-ASCII URLs are exempt, because the parser
 * converts them.
 */
function standsIn(value: string, host: string): boolean {
  const isAscii = /^[ -~]*$/.test(value);
  return !isAscii || value.toLowerCase().startsWith(`https://${host.replace(/:\d+$/, '')}`);
}

/**
 * Tries the value as a buy link's destination, parameters and item. The link must redirect to its own page, without the
 * value.
 */
async function inLinkToBuy(scene: Scene, value: string): Promise<void> {
  const { premises, shop } = scene;
  const given = value.toWellFormed();
  const query = new URLSearchParams({ continue_to: given, 'buyer/email': given, return_url: given, [given]: given });
  const items = [`${shop.site_id}:1`, encodeURIComponent(given), `~${Buffer.from(given).toString('base64url')}:1`];
  for (const item of items) {
    const target = `${premises.baseUrl}/sites/${shop.site_id}/buy/${item}?${query}`;
    const answer = await fetch(target, { redirect: 'manual' });
    scene.requests += 1;
    const location = answer.headers.get('Location') ?? '';
    const expected = [`/sites/${shop.site_id}/basket/${shop.site_id}:1`, `/sites/${shop.site_id}/basket/none`];
    if ((answer.status === 303 && expected.includes(location)) || [400, 404, 431].includes(answer.status)) continue;
    // A violation quotes only the beginning of a long value.
    const quoted = JSON.stringify(value).slice(0, 300);
    premises.violations.add(`${quoted} in a link to buy: ${answer.status} ${location}`);
  }
  // Opens the page itself, with the value in its query, as discount code and as campaign.
  for (const name of ['discounts/codes/0', 'utm_source', 'utm_campaign']) query.set(name, given);
  await judgePage(scene, value, `/sites/${shop.site_id}/basket/${scene.variant_id}:1?${query}`, scene.cast.own);
}

/** Calls the page and the API with the value as the Host header, and reads the value as a host of the shop. */
async function asHost(scene: Scene, value: string): Promise<void> {
  const { premises, host, open } = scene;
  const name = value.replace(/^https:\/\//i, '');
  // Skips values with a line break, which would end the Host header.
  if (/[\r\n]/.test(name)) return;
  const isOwn = new RegExp(`^${host.replaceAll('.', '[.]')}(?::\\d{1,5})?$`, 'i').test(
    name.replace(/^[ \t]+|[ \t]+$/g, ''),
  );
  const raw = new RawClient(Number(new URL(premises.baseUrl).port));
  const Host = Buffer.from(name).toString('latin1');
  const path = `${open.path}?change=${encodeURIComponent(value.toWellFormed())}`;
  const answer = await raw.send(rawRequest('GET', path, { Host })).finally(() => raw.close());
  scene.requests += 1;
  const location = /^location: (.*)$/im.exec(answer?.head ?? '')?.[1];
  const expected = isOwn ? 200 : 302;
  const received = `${answer?.status} ${location ?? ''}`;
  const isFine =
    answer && [expected, 400, 404].includes(answer.status) && (!location || location === `https://${host}${path}`);
  if (!isFine || /^set-cookie:.*domain/im.test(answer.head)) {
    premises.violations.add(
      `The page at the host ${JSON.stringify(name)}: expected ${expected}, 400 or 404 without another host, got ${received}`,
    );
  }
  if (answer?.body.includes('evil.example'))
    premises.violations.add(`The page shows the forged host ${JSON.stringify(name)}`);
  await askApiAt(scene, Host);
  try {
    const kept = readHost(name, BASE_URL);
    if (new URL(`https://${kept}`).host !== kept || kept === new URL(BASE_URL).host) {
      premises.violations.add(`${JSON.stringify(name)} can become the host ${kept}`);
    }
  } catch {
    // `readHost` rejects the name, as it should.
  }
}

/**
 * An operator adds the value as a host of the shop. The server may accept only plain names that browsers can use, never
 * its own host or the host of another shop. Each accepted host must be removable.
 */
async function asNewHost({ premises, shop, operators, host, otherHost }: Scene, value: string): Promise<void> {
  const domains = `/api/operator/sites/${shop.site_id}/domains`;
  const headers = () => ({ Authorization: `Bearer ${operators.key}`, 'Idempotency-Key': randomUUID() });
  const name = value.replace(/^https:\/\//i, '').toWellFormed();
  for (const given of [value.toWellFormed(), name]) {
    const sent = JSON.stringify({ host: given, is_primary: false });
    const typed = { ...headers(), 'Content-Type': 'application/json' };
    const { status, text } = await exchange(operators.baseUrl, 'POST', domains, typed, sent);
    if (status !== 200) {
      if (![409, 422].includes(status))
        premises.violations.add(`${JSON.stringify(given)} as a new host: ${status} ${text}`);
      continue;
    }
    const kept = (JSON.parse(text) as { domains: { host: string }[] }).domains.map((one) => one.host);
    for (const one of kept.filter((known) => known !== host)) {
      const isPlain = URL.parse(`https://${one}`)?.host === one && /^[a-z0-9.-]+$/.test(one);
      if (!isPlain || one === new URL(BASE_URL).host || one === otherHost) {
        premises.violations.add(`${JSON.stringify(given)} has become the host ${one}`);
      }
      const removed = await exchange(operators.baseUrl, 'DELETE', `${domains}/${encodeURIComponent(one)}`, headers());
      if (removed.status !== 200) premises.violations.add(`The host ${one} cannot be taken away: ${removed.status}`);
    }
  }
}

async function askApiAt({ premises, shop, open, host }: Scene, Host: string): Promise<void> {
  const raw = new RawClient(Number(new URL(premises.baseUrl).port));
  const headers = { ...shop.headers, Host };
  const answer = await raw
    .send(rawRequest('GET', `/api/storefront/checkout/${open.id}`, headers))
    .finally(() => raw.close());
  const url = /"checkout_url":"([^"]*)"/.exec(answer?.body ?? '')?.[1];
  const isFine =
    answer?.status === 200
      ? url?.startsWith(`https://${host}/checkout/`)
      : answer && [400, 401].includes(answer.status);
  if (!isFine) premises.violations.add(`The API at the host ${JSON.stringify(Host)}: ${answer?.status} ${url}`);
}

/** Browsers must treat an accepted URL as a URL of the shop, both as it was sent and as it was stored. */
function judgeAccepted(scene: Scene, value: string, kept: (string | null | undefined)[]): void {
  scene.accepted.add(value);
  for (const text of [value, ...kept]) {
    const url = URL.parse(text ?? '');
    const isOwn = url && scene.cast.own.includes(url.origin) && !url.username && !url.password;
    if (!isOwn) scene.premises.violations.add(`${JSON.stringify(value)} is accepted, and leads to ${url?.origin}`);
  }
}

/**
 * Stores the value directly in the database, as if an earlier rule had accepted it. NUL is removed, because PostgreSQL
 * rejects it.
 */
async function plant({ premises }: Scene, statement: string, value: string | null, ids: string[]): Promise<void> {
  await premises.owner.query(statement, [ids, value?.replaceAll('\0', '') ?? null]);
}

/** Checks all URLs on the page and in its headers that a browser could open. */
async function judgePage(scene: Scene, value: string, path: string, allowed: string[]): Promise<void> {
  const { premises, host, ours } = scene;
  const reply = await exchange(premises.baseUrl, 'GET', path, { Host: host, 'X-Request-Id': randomUUID() });
  scene.requests += 1;
  // Node.js responds with 431 if the request line and headers exceed 16 KiB.
  const isTooLong = reply.status === 431 && path.length > 16_000;
  if (reply.status >= 400 && !isTooLong) {
    premises.violations.add(
      `A page with the URL ${JSON.stringify(value)}: expected below 400, got ${reply.status}: ${path.replace(SECRETS, '…')}`,
    );
  }
  for (const address of addressesIn(reply)) {
    scene.links += 1;
    const url = URL.parse(address, `https://${host}${path}`);
    if (url && ['mailto:', 'tel:'].includes(url.protocol)) continue;
    const isOurs = url && ours.includes(url.origin);
    if (!url || !(isOurs || allowed.includes(url.origin))) {
      premises.violations.add(`${JSON.stringify(value)}: the page leads to ${address}`);
    } else if (!isOurs && SECRETS.test(address)) {
      premises.violations.add(`${JSON.stringify(value)}: a secret leaves with ${address}`);
    }
  }
}

function addressesIn({ headers, text }: Reply): string[] {
  const attributes = [...text.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)].map(([, found = '']) =>
    found
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );
  const refresh = /url=(.*)$/.exec(String(headers.refresh ?? ''))?.[1];
  return [...attributes, ...(headers.location ? [headers.location] : []), ...(refresh ? [refresh] : [])];
}
