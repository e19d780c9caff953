import type { createDashboardClient } from '@commerce-backend/sdk';
import type { AssistantScope } from '@commerce-backend/spec';
import * as oauth from 'openid-client';
import { beginAuthorization, localFetch, REDIRECT_URI } from './oauth.ts';
import { logIn } from './session.ts';
import type { openShop } from './shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;
type Dashboard = ReturnType<typeof createDashboardClient>;

export const MERCHANT_ISSUER = new URL('http://localhost/merchant');

/** Discovers the issuer for assistants of staff with an unmodified OAuth library, and registers a client. */
export function registeredAssistant({ baseUrl }: Pick<Shop, 'baseUrl'>, client_name = 'Claude') {
  const options: oauth.DynamicClientRegistrationRequestOptions = {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
    [oauth.customFetch]: localFetch(baseUrl),
  };
  const metadata = { client_name, redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  return oauth.dynamicClientRegistration(MERCHANT_ISSUER, metadata, oauth.None(), options);
}

/** Sends a browser to the authorization endpoint. Returns the request from the URL of the panel's page. */
export async function beginConnecting(shop: Pick<Shop, 'baseUrl'>, wish: Record<string, string> = {}) {
  const config = await registeredAssistant(shop);
  const { address, code_verifier, state } = await beginAuthorization(config, wish);
  const sent = await fetch(shop.baseUrl + address.pathname + address.search, { redirect: 'manual' });
  const page = sent.headers.get('Location') ?? 'http://localhost/nowhere';
  const request = new URL(page).searchParams.get('request') ?? '';
  return {
    config,
    address,
    page,
    request,
    status: sent.status,
    expected: { pkceCodeVerifier: code_verifier, expectedState: state },
  };
}

/** Connects an assistant for a staff member, by default for the owner and with reading scopes only. */
export async function givenAssistant(
  shop: Shop,
  { scopes, by, lifetime_days = 30 }: { scopes?: AssistantScope[]; by?: Dashboard; lifetime_days?: number } = {},
) {
  const staff = by ?? (await logIn(shop)).staff;
  const begun = await beginConnecting(shop);
  const { data, error } = await staff.POST('/api/dashboard/assistants', {
    body: { request: begun.request, scopes: scopes ?? READING, lifetime_days },
  });
  if (!data) throw new Error(`The assistant was refused: ${JSON.stringify(error)}`);
  const issued = await oauth.authorizationCodeGrant(begun.config, new URL(data.redirect_url), begun.expected);
  return { ...data, ...begun, staff, issued, access_token: issued.access_token, id: data.assistant.id };
}

export const READING: AssistantScope[] = [
  'orders:read',
  'products:read',
  'inventory:read',
  'customers:read',
  'discounts:read',
  'settings:read',
  'audit:read',
];
