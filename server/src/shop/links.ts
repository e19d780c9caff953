import { createHmac } from 'node:crypto';
import type { Shop } from './shop.ts';
import { tokenFrom } from './tokens.ts';

/** What links are made of. */
export interface LinkDeps {
  /** The configured public address. */
  baseUrl: string;
  hosts: ShopAddresses;
  /** The server's own secret, from which the secrets in links are derived. */
  secretKey: string;
}

/** Where shops are that have hosts of their own. */
export interface ShopAddresses {
  /** Where the pages and links of a shop are: at its primary host, else at the configured address. */
  addressOf(site_id: string): string;
  /** The origins of all its hosts. */
  originsOf(site_id: string): string[];
}

/** Where shops are as long as none has a host. */
export function withoutHosts(baseUrl: string): ShopAddresses {
  return { addressOf: () => baseUrl, originsOf: () => [] };
}

/** The address of a host, with the scheme and the port of the configured address; without a host, the configured address. */
export function addressOfHost(baseUrl: string, host: string | undefined): string {
  return host ? Object.assign(new URL(baseUrl), { hostname: host }).origin : baseUrl;
}

/**
 * The addresses in mails and answers. They begin with the shop's primary host or with the configured address, whatever host a
 * request named.
 */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

/** Where an order is seen without an account. Holds a secret. */
export function orderLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/sites/${site_id}/orders/${token}`;
}

/** Where a customer looks after orders and agents. */
export function accountLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/account?site_id=${site_id}`;
}

/** Where a customer enters the code that an agent shows. */
export function consentPage(baseUrl: string, site_id: string): string {
  return `${baseUrl}/agent-consent?site_id=${site_id}`;
}

/** Where a customer decides on what a client of OAuth asks for. */
export function authorizationPage(baseUrl: string, site_id: string, secret: string): string {
  return `${consentPage(baseUrl, site_id)}&request=${secret}`;
}

/** The page that leads the customer back to a client of OAuth, once they have decided. */
export function authorizationLeavePage(site_id: string, secret: string): string {
  return authorizationPage('', site_id, secret).replace('?', '/leave?');
}

/** Where staff and customers lift the delay of their login that strangers have caused. */
export function unlockLink(baseUrl: string, token: string): string {
  return `${baseUrl}/unlock/${token}`;
}

/** Where somebody who is invited to the staff accepts. The secret is in the fragment, which browsers send to no server. */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}/panel/invitation#${token}`;
}

/** Where staff set a new password. What follows the # is sent to no server. */
export function panelResetLink(serverUrl: string, token: string): string {
  return `${serverUrl}/panel/reset#${token}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}

/**
 * The secret in the address of a checkout's page. It is derived from the server's secret, so that it can be computed again
 * while only its hash is stored.
 */
export function checkoutToken(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  checkout_id: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`checkout|${siteId}|${checkout_id}`).digest();
  return tokenFrom('checkout', seed);
}

/** The secret of the link to an order that its confirmation leads to; derived in the same way, so that it is stored once. */
export function orderToken({ siteId }: Shop, { secretKey }: Pick<LinkDeps, 'secretKey'>, order_id: string): string {
  const seed = createHmac('sha256', secretKey).update(`order|${siteId}|${order_id}`).digest();
  return tokenFrom('order', seed);
}

/**
 * The code that a client of OAuth gets for an approved request; derived in the same way, so that the page that leads to the client can
 * name it while only its hash is stored.
 */
export function authorizationCode(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  secret: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`authorization code|${siteId}|${secret}`).digest();
  return tokenFrom('code', seed);
}

/** The address of a checkout's hosted page. Holds a secret. */
export function checkoutUrl(shop: Shop, deps: LinkDeps, checkout_id: string): string {
  return `${deps.hosts.addressOf(shop.siteId)}/checkout/${checkoutToken(shop, deps, checkout_id)}`;
}
