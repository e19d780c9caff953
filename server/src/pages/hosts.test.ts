/**
 * Two shops on one server, each with its own host. A response for one shop must not contain the host of the other shop
 * or of the server.
 */

import { beforeAll, expect, test } from 'vitest';
import { askForConsent } from '../../test/agents.ts';
import { fetchAt } from '../../test/fetch-at.ts';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

interface Hosted {
  shop: Shop;
  host: string;
  /** Paths served at the host: pages, and documents for programs. */
  pages: Record<string, string>;
  documents: Record<string, string>;
}

let both: Hosted[] = [];

beforeAll(async () => {
  both = await Promise.all(['first', 'second'].map(givenHosted));
});

async function givenHosted(label: string): Promise<Hosted> {
  const shop = await openShop();
  const { site_id, owner } = shop;
  const host = `${label}.${site_id}.example`;
  await owner.query('insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)', [
    host,
    site_id,
  ]);
  await shop.hosts.reload();
  const product = await shop.givenProduct({ status: 'active', inventory_quantity: 5 });
  await shop.givenShippingOption();
  const checkout = new URL((await shop.givenCheckout()).checkout_url ?? '').pathname;
  const consent = await askForConsent(shop);
  const guest = `guest-${site_id}@example.com`;
  await shop.givenOrder({ email: guest });
  const order = /href="https?:\/\/[^/"]+(\/sites\/[^"]*\/orders\/ord_\w+)/.exec(
    (await mailsTo(shop, guest)).at(-1)?.html ?? '',
  )?.[1];
  const buy = `/buy/${product.variants[0]?.id}:1`;
  return {
    ...{ shop, host },
    pages: {
      ...{ account: '/account', 'account by its id': `/account?site_id=${site_id}`, checkout, order: order ?? 'none' },
      ...{
        consent: '/agent-consent',
        'consent by code': `/agent-consent?site_id=${site_id}&user_code=${consent.user_code}`,
      },
      ...{ buy, 'buy by its id': `/sites/${site_id}${buy}` },
    },
    documents: {
      ...{ guide: '/llms.txt', skill: '/skill.md', profile: '/.well-known/ucp' },
      server: '/.well-known/oauth-authorization-server',
      resource: '/.well-known/oauth-protected-resource',
      mcp: '/.well-known/oauth-protected-resource/mcp',
      'mcp of UCP': '/.well-known/oauth-protected-resource/ucp/mcp',
    },
  };
}

/** The response of a host, after redirects to the same host. */
async function readAt(baseUrl: string, host: string, path: string) {
  let at = path;
  for (let hop = 0; hop < 3; hop += 1) {
    const response = await fetchAt(host)(baseUrl + at);
    const location = response.headers.get('Location');
    const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`;
    if (!location) return { status: response.status, text };
    const target = new URL(location, `http://${host}`);
    if (target.host !== host) return { status: response.status, text };
    at = target.pathname + target.search;
  }
  throw new Error(`${path} leads on and on.`);
}

/** Hosts of all URLs in a text. */
function hostsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)].map(([, name = '']) => name.toLowerCase()))];
}

test("serves every page and document at the shop's host, with links to that host and to no other shop", async () => {
  for (const [index, { shop, host, pages, documents }] of both.entries()) {
    const other = both[1 - index];
    if (!other) throw new Error('There is no other shop.');
    for (const [what, path] of Object.entries({ ...pages, ...documents })) {
      const { status, text } = await readAt(shop.baseUrl, host, path);
      expect([what, status]).toEqual([what, 200]);
      expect([what, text.includes(other.host), text.includes(other.shop.site_id)]).toEqual([what, false, false]);
      expect([what, hostsIn(text).includes('localhost')]).toEqual([what, false]);
      if (what in documents) expect([what, hostsIn(text)]).toEqual([what, expect.arrayContaining([host])]);
    }
  }
});

test('OAuth metadata and other machine-readable documents name the shop’s host as issuer and resource', async () => {
  for (const { shop, host, documents } of both) {
    const json = async (path = '') =>
      (await fetchAt(host)(shop.baseUrl + path)).json() as Promise<Record<string, unknown>>;
    const issuer = `http://${host}`;
    expect(await json(documents.server)).toMatchObject({
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      device_authorization_endpoint: expect.stringContaining(`${issuer}/api/agent/consent/request`),
    });
    expect(await json(documents.resource)).toMatchObject({ resource: issuer, authorization_servers: [issuer] });
    expect(await json(documents.mcp)).toMatchObject({ resource: `${issuer}/mcp`, authorization_servers: [issuer] });
    const challenge = (await fetchAt(host)(`${shop.baseUrl}/mcp`, { method: 'POST', body: '{}' })).headers;
    expect(challenge.get('WWW-Authenticate') ?? issuer).toContain(issuer);
  }
});

test("a shop's host answers 404 for pages and documents of another shop", async () => {
  const [one, two] = both;
  if (!one || !two) throw new Error('There are two shops.');
  const { site_id } = one.shop;
  const addressed = Object.entries(one.pages).filter(
    ([, path]) => path.includes(site_id) || path.startsWith('/checkout'),
  );
  const documents = ['llms.txt', 'skill.md', '.well-known/ucp'].map((name) => [name, `/sites/${site_id}/${name}`]);
  for (const [what, path] of [...addressed, ...documents] as [string, string][]) {
    const { status, text } = await readAt(one.shop.baseUrl, two.host, path);
    expect([what, status]).toEqual([what, 404]);
    expect(text).not.toContain(one.host);
  }
});

test("serves the account page without a site id only at the shop's own host", async () => {
  const [one] = both;
  if (!one) throw new Error('There is a shop.');
  const at = (host: string, path: string) => fetchAt(host)(one.shop.baseUrl + path).then(({ status }) => status);

  expect(await at(one.host, '/account')).toBe(200);
  expect(await at('localhost', '/account')).toBe(404);
  expect(await at(one.host, '/account?site_id=')).toBe(404);
});

test('mails link only to the shop’s own host', async () => {
  for (const { shop, host } of both) {
    const { client, email } = await shop.givenCustomer();
    await client.POST('/api/storefront/customer/reset-request', { body: { email } });
    const guest = `again-${shop.site_id}@example.com`;
    await shop.givenOrder({ email: guest });
    for (const mail of [...(await mailsTo(shop, email)), ...(await mailsTo(shop, guest))]) {
      expect(hostsIn(mail.html).filter((name) => name !== host)).toEqual([]);
    }
  }
});
