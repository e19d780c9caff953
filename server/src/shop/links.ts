import { createHmac } from 'node:crypto';
import type { Shop } from './shop.ts';
import { tokenFrom } from './tokens.ts';

/** What links are built from. */
export interface LinkDeps {
  baseUrl: string;
  hosts: ShopAddresses;
  /** The server's secret, from which secrets in links are derived. */
  secretKey: string;
}

/** Base URLs of shops that have their own hosts. */
export interface ShopAddresses {
  /** Base URL of a shop's pages and links: its primary host, or the configured base URL. */
  addressOf(site_id: string): string;
  originsOf(site_id: string): string[];
}

/** Base URLs if no shop has its own host. */
export function withoutHosts(baseUrl: string): ShopAddresses {
  return { addressOf: () => baseUrl, originsOf: () => [] };
}

/**
 * The origin of a host, with the scheme and port of the configured base URL; the configured base URL if there is no
 * host.
 */
export function addressOfHost(baseUrl: string, host: string | undefined): string {
  return host ? Object.assign(new URL(baseUrl), { hostname: host }).origin : baseUrl;
}

/** Links in mails and responses use the shop's primary host or the configured base URL, never the host of a request. */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

/** URL of the page of an order without an account. Contains a secret. */
export function orderLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/sites/${site_id}/orders/${token}`;
}

/** URL of the page where a customer manages orders and agents. */
export function accountLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/account?site_id=${site_id}`;
}

/** URL of the page where a customer enters the code of an agent. */
export function consentPage(baseUrl: string, site_id: string): string {
  return `${baseUrl}/agent-consent?site_id=${site_id}`;
}

/** URL of the page where a customer decides on an OAuth request. */
export function authorizationPage(baseUrl: string, site_id: string, secret: string): string {
  return `${consentPage(baseUrl, site_id)}&request=${secret}`;
}

/** Path of the page that sends the customer back to the OAuth client after the decision. */
export function authorizationLeavePage(site_id: string, secret: string): string {
  return authorizationPage('', site_id, secret).replace('?', '/leave?');
}

/** URL of the page where staff and customers lift a login delay that strangers have caused. */
export function unlockLink(baseUrl: string, token: string): string {
  return `${baseUrl}/unlock/${token}`;
}

/** URL of the page where an invited person accepts. The secret is in the fragment, which browsers do not send. */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}/panel/invitation#${token}`;
}

/** URL of the page where staff set a new password. The secret is in the fragment, which browsers do not send. */
export function panelResetLink(serverUrl: string, token: string): string {
  return `${serverUrl}/panel/reset#${token}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}

/**
 * The secret in the URL of a checkout page. It is derived from the server's secret, so that it can be computed again
 * although only its hash is stored.
 */
export function checkoutToken(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  checkout_id: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`checkout|${siteId}|${checkout_id}`).digest();
  return tokenFrom('checkout', seed);
}

/**
 * The secret of the order link on the confirmation page. It is derived from the server's secret, so that it is stored
 * only once.
 */
export function orderToken({ siteId }: Shop, { secretKey }: Pick<LinkDeps, 'secretKey'>, order_id: string): string {
  const seed = createHmac('sha256', secretKey).update(`order|${siteId}|${order_id}`).digest();
  return tokenFrom('order', seed);
}

/**
 * The authorization code of an approved OAuth request. It is derived from the server's secret, so that the redirect
 * page can compute it although only its hash is stored.
 */
export function authorizationCode(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  secret: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`authorization code|${siteId}|${secret}`).digest();
  return tokenFrom('code', seed);
}

/** URL of a checkout's hosted page. Contains a secret. */
export function checkoutUrl(shop: Shop, deps: LinkDeps, checkout_id: string): string {
  return `${deps.hosts.addressOf(shop.siteId)}/checkout/${checkoutToken(shop, deps, checkout_id)}`;
}
