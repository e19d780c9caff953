import { expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { faultsIn, faultsInAnswer, publishProfile, ucpClient } from '../../test/ucp.ts';
import { openPlatform } from '../../test/ucp-platform.ts';
import { CAPABILITIES } from './protocol.ts';

const OLDER = '2026-04-08';
const names = Object.keys(CAPABILITIES);
const HOME = {
  ...{ first_name: 'June', last_name: 'Okafor', street_address: 'Lindenallee 7', address_locality: 'Berlin' },
  ...{ postal_code: '10115', address_country: 'DE' },
};

/** Fetches the shop's profile and the older profile to which its `supported_versions` links. */
async function profilesOf(baseUrl: string, site_id: string) {
  // The configured URL of the test server has no port.
  const read = async (url: string) =>
    (await (await fetch(url.replace('http://localhost/', `${baseUrl}/`))).json()) as Profile;
  const current = await read(`${baseUrl}/sites/${site_id}/.well-known/ucp`);
  const older = await read(current.ucp.supported_versions?.[OLDER] ?? '');
  return { current, older };
}

interface Profile {
  ucp: {
    version: string;
    supported_versions?: Record<string, string>;
    capabilities: Record<string, { version: string; spec: string }[]>;
  };
  keys: object[];
  signing_keys: object[];
}

test('the profile links to the profile of version 2026-04-08, which is valid and declares only its own version', async () => {
  const { baseUrl, site_id } = await openShop();
  const { current, older } = await profilesOf(baseUrl, site_id);

  expect(Object.keys(current.ucp.supported_versions ?? {})).toEqual([OLDER]);
  expect(faultsIn('profile.json#/$defs/business_schema', current)).toEqual([]);
  expect(faultsIn('ucp.json#/$defs/business_schema', older.ucp, OLDER)).toEqual([]);
  expect(older.ucp.version).toBe(OLDER);
  expect(older.ucp).not.toHaveProperty('supported_versions');
  expect(Object.values(older.ucp.capabilities).flatMap((all) => all.map(({ version }) => version))).toEqual(
    Object.keys(older.ucp.capabilities).map(() => OLDER),
  );
  expect(older.ucp.capabilities).not.toHaveProperty(['dev.ucp.shopping.permalink']);
  expect(older.ucp.capabilities['dev.ucp.shopping.cart']?.[0]?.spec).toBe(
    `https://ucp.dev/${OLDER}/specification/cart`,
  );
  expect(older.signing_keys).toEqual(current.keys);
  expect((await fetch(`${baseUrl}/sites/${site_id}/.well-known/ucp/2026-01-11`)).status).toBe(404);
});

test('a platform of version 2026-04-08 searches, buys and gets order events that match the schemas of that version', async () => {
  const shop = await openShop();
  const jobs = await workJobs({ baseUrl: shop.baseUrl });
  const platform = await openPlatform({ capabilities: names, version: OLDER });
  const { id: selected_option_id } = await shop.givenTerms({ default_tax_rate: '0', ask_for_marketing: true });
  const { id, variants } = await shop.givenProduct({ name: 'Blue mug', price: '14.00' });
  const client = ucpClient({
    issuer: `${shop.baseUrl}/sites/${shop.site_id}`,
    profile: platform.url,
    sign: platform.sign,
  });
  const line_items = [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }];

  const found = await client.call('search_catalog', '', { body: { query: 'mug' } });
  expect(found).toMatchObject({ ucp: { version: OLDER }, products: [{ id }] });
  await client.call('lookup_catalog', '', { body: { ids: [id] } });
  await client.call('get_product', '', { body: { id } });
  const cart = await client.call('create_cart', '', { body: { line_items } });
  await client.call('update_cart', cart.id, { body: { line_items, discounts: { codes: ['NONE'] } } });
  const methods = [{ type: 'shipping', destinations: [HOME], groups: [{ id: 'all', selected_option_id }] }];
  const made = await client.call('create_checkout', '', {
    body: {
      cart_id: cart.id,
      buyer: { email: 'june@example.com', consent: { marketing: true, analytics: true } },
      fulfillment: { methods },
    },
  });
  expect(made).toMatchObject({ ucp: { version: OLDER }, buyer: { consent: { marketing: false } } });
  expect(made.messages).toContainEqual(
    expect.objectContaining({ code: 'consent_not_recorded', path: '$.buyer.consent.marketing' }),
  );
  const unlinked = await client.send('get_order', id);
  expect([unlinked.status, await unlinked.json()]).toMatchObject([401, { ucp: { version: OLDER, status: 'error' } }]);

  const browser = new PaperBrowser(shop.baseUrl);
  const form = await browser.open(made.continue_url ?? '');
  await browser.press(await browser.press(form, 'save', { payment_method: 'bank_transfer' }), 'place_order');
  const [event] = await platform.until(1);
  expect(event?.faults).toEqual([]);
  expect(event?.order.ucp.version).toBe(OLDER);
  expect(faultsInAnswer('get_order', event?.order)).toEqual([]);
  await jobs.stop();
  await platform.close();
});

test("a profile's capabilities count only if they have the version of the profile", async () => {
  const shop = await openShop();
  const agent = await publishProfile({ version: OLDER });
  const client = ucpClient({ issuer: `${shop.baseUrl}/sites/${shop.site_id}`, profile: agent.url });

  expect(await client.call('search_catalog')).toMatchObject({
    ucp: { version: OLDER, status: 'error' },
    messages: [
      {
        code: 'capabilities_incompatible',
        content: `Your profile does not declare dev.ucp.shopping.catalog.search in version ${OLDER}.`,
      },
    ],
  });
  await agent.close();
});

test('an address to which the shop does not deliver gets the message address_undeliverable', async () => {
  const shop = await openShop();
  await shop.givenShippingOption({ countries: ['DE', 'AT'] });
  const { variants } = await shop.givenProduct({ price: '14.00' });
  const agent = await publishProfile();
  const client = ucpClient({ issuer: `${shop.baseUrl}/sites/${shop.site_id}`, profile: agent.url });
  const destinations = [{ ...HOME, address_country: 'US', address_region: 'NY' }];

  const made = await client.call('create_checkout', '', {
    body: {
      line_items: [{ item: { id: variants[0]?.id ?? '' }, quantity: 1 }],
      fulfillment: { methods: [{ type: 'shipping', destinations }] },
    },
  });

  expect(made).toMatchObject({ status: 'incomplete' });
  expect(made.messages).toContainEqual(
    expect.objectContaining({
      code: 'address_undeliverable',
      severity: 'recoverable',
      content: 'The shop does not deliver this to the address. It delivers to AT, DE.',
    }),
  );
  await agent.close();
});
