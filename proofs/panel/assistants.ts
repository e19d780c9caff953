import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unwrap } from '@commerce-backend/sdk';
import * as oauth from 'openid-client';
import { expect } from 'vitest';
import { connect } from '../../server/test/mcp-client.ts';
import { inPanel, type Visit } from './visit.ts';

interface Waiting {
  action_id: string;
  confirm_url: string;
}

/** Lets the member of the tab connect a program on their own device. Returns its token. */
async function connectProgram({ tab, open, press, sees, look }: Visit, origin: string): Promise<string> {
  const program = createServer((_req, res) => res.end('You can close this page.'));
  program.listen(0, '127.0.0.1');
  await once(program, 'listening');
  const redirect_uri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
  const config = await oauth.dynamicClientRegistration(
    new URL(`${origin}/merchant`),
    { client_name: 'Claude', redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' },
    oauth.None(),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  );
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const address = oauth.buildAuthorizationUrl(config, {
    redirect_uri,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  await tab.goto(address.href);
  await sees('Connect an assistant');
  await look('connect-assistant');
  await Promise.all([tab.waitForNavigation(), press('Connect')]);
  await sees('You can close this page.');
  const issued = await oauth.authorizationCodeGrant(config, new URL(tab.url()), { pkceCodeVerifier });
  await open('/');
  program.close();
  return issued.access_token;
}

inPanel('a member connects and disconnects an assistant, and confirms and declines its changes', async (visit) => {
  const { tab, dashboard, open, press, sees, look } = visit;
  await open('/');
  const { origin } = new URL(tab.url());
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query: { limit: 1 } } }));
  const [product] = products;
  const [variant] = product?.variants ?? [];
  const at = { product_id: product?.id ?? '', variant_id: variant?.id ?? '' };
  const priceNow = async () => {
    const params = { path: { product_id: at.product_id } };
    const found = await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
    return found.variants.find(({ id }) => id === at.variant_id)?.price;
  };

  const { use, client } = await connect(`${origin}/mcp/merchant`, await connectProgram(visit, origin));
  const first = await use<Waiting>('update_variant', { ...at, price: '12.34' });
  const second = await use<Waiting>('update_variant', { ...at, price: '56.78' });
  expect(await priceNow()).toBe(variant?.price);

  await tab.goto(second.confirm_url);
  await press('Decline');
  await sees('Declined. Nothing has changed.');
  await tab.goto(first.confirm_url);
  await sees('12.34');
  await look('confirm-change');
  await press('Confirm');
  await sees('Confirmed and done.');
  expect(await priceNow()).toBe('12.34');
  expect(await use('get_assistant_action', { action_id: first.action_id })).toMatchObject({ status: 'done' });
  await client.close();

  await open('/settings/staff');
  await sees('Claude');
  await look('connected-assistants');
  await press('Disconnect Claude');
  await sees('An assistant connects when you enter');
});
