import { createHmac } from 'node:crypto';
import type { Shop } from './shop.ts';
import { tokenFrom } from './tokens.ts';

/** Settings for building links. */
export interface LinkDeps {
  baseUrl: string;
  hosts: ShopAddresses;
  /** The server's own secret; link secrets are derived from it. */
  secretKey: string;
}

/** Addresses of shops with their own hosts. */
export interface ShopAddresses {
  /** Base address of a shop's pages and links: its primary host, or the configured address. */
  addressOf(site_id: string): string;
  originsOf(site_id: string): string[];
}

/** Addresses when no shop has its own host. */
export function withoutHosts(baseUrl: string): ShopAddresses {
  return { addressOf: () => baseUrl, originsOf: () => [] };
}

/** Address of a host, with scheme and port of the configured address; without a host, the configured address. */
export function addressOfHost(baseUrl: string, host: string | undefined): string {
  return host ? Object.assign(new URL(baseUrl), { hostname: host }).origin : baseUrl;
}

/**
 * Links for mails and responses. They use the shop's primary host or the configured address, never the host of a
 * request.
 */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

/** Page of an order without an account. Contains a secret. */
export function orderLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/sites/${site_id}/orders/${token}`;
}

/** Page where a customer manages orders and agents. */
export function accountLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/account?site_id=${site_id}`;
}

/** Page where a customer enters the code of an agent. */
export function consentPage(baseUrl: string, site_id: string): string {
  return `${baseUrl}/agent-consent?site_id=${site_id}`;
}

/** Page where a customer decides on an OAuth request. */
export function authorizationPage(baseUrl: string, site_id: string, secret: string): string {
  return `${consentPage(baseUrl, site_id)}&request=${secret}`;
}

/** Page that sends the customer back to the OAuth client after the decision. */
export function authorizationLeavePage(site_id: string, secret: string): string {
  return authorizationPage('', site_id, secret).replace('?', '/leave?');
}

/** Page where staff and customers lift a login delay that strangers have caused. */
export function unlockLink(baseUrl: string, token: string): string {
  return `${baseUrl}/unlock/${token}`;
}

/** Page where an invited person accepts. The secret is in the fragment, which browsers do not send. */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}/panel/invitation#${token}`;
}

/** Page where staff set a new password. The secret is in the fragment, which browsers do not send. */
export function panelResetLink(serverUrl: string, token: string): string {
  return `${serverUrl}/panel/reset#${token}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}

/**
 * Secret in the address of a checkout page. Derived from the server's secret, so that it can be computed again while
 * only its hash is stored.
 */
export function checkoutToken(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  checkout_id: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`checkout|${siteId}|${checkout_id}`).digest();
  return tokenFrom('checkout', seed);
}

/** Secret of the order link on the confirmation page. Derived in the same way, so that it is stored once. */
export function orderToken({ siteId }: Shop, { secretKey }: Pick<LinkDeps, 'secretKey'>, order_id: string): string {
  const seed = createHmac('sha256', secretKey).update(`order|${siteId}|${order_id}`).digest();
  return tokenFrom('order', seed);
}

/**
 * Authorization code of an approved OAuth request. Derived in the same way, so that the redirect page can compute it
 * while only its hash is stored.
 */
export function authorizationCode(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  secret: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`authorization code|${siteId}|${secret}`).digest();
  return tokenFrom('code', seed);
}

/** Address of a checkout's hosted page. Contains a secret. */
export function checkoutUrl(shop: Shop, deps: LinkDeps, checkout_id: string): string {
  return `${deps.hosts.addressOf(shop.siteId)}/checkout/${checkoutToken(shop, deps, checkout_id)}`;
}
