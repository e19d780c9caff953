import { createHmac } from 'node:crypto';
import type { Shop } from './shop.ts';
import { tokenFrom } from './tokens.ts';

export interface LinkDeps {
  baseUrl: string;
  hosts: ShopAddresses;
  /** SECRET_KEY, from which secrets in links are derived. */
  secretKey: string;
}

export interface ShopAddresses {
  /** Base URL of a shop's pages: its primary host, or the server's base URL. */
  addressOf(site_id: string): string;
  originsOf(site_id: string): string[];
}

/** The addresses of shops without their own hosts. */
export function withoutHosts(baseUrl: string): ShopAddresses {
  return { addressOf: () => baseUrl, originsOf: () => [] };
}

/** The origin of a host, with the scheme and port of the server's base URL; that base URL if there is no host. */
export function addressOfHost(baseUrl: string, host: string | undefined): string {
  return host ? Object.assign(new URL(baseUrl), { hostname: host }).origin : baseUrl;
}

/**
 * The page that verifies an e-mail address. As for all links, `baseUrl` is the base URL of the shop's primary host or
 * of the server, never the host of a request.
 */
export function verificationLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/verify-email/${token}`;
}

/** The page of an order for people without an account. The URL contains a secret. */
export function orderLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/sites/${site_id}/orders/${token}`;
}

/** The page where a customer manages orders and agents. */
export function accountLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/account?site_id=${site_id}`;
}

/** The section of the account in which a customer manages agents. */
export function assistantsLink(baseUrl: string, site_id: string): string {
  return `${accountLink(baseUrl, site_id)}&view=assistants`;
}

/** The URL of a shop's UCP profile. `origin` is the address of the shop's pages. */
export function ucpProfile(baseUrl: string, origin: string, site_id: string): string {
  return `${origin === baseUrl ? `${baseUrl}/sites/${site_id}` : origin}/.well-known/ucp`;
}

interface PreparedReturn {
  order_id: string;
  reason: string;
  lines: { line_item_id: string; quantity: number }[];
}

/**
 * The page of an order in the account, with a filled-in return form. The customer logs in and submits the form. The
 * lines are in the URL, so nothing is stored before that.
 */
export function preparedReturnLink(
  baseUrl: string,
  site_id: string,
  { order_id, reason, lines }: PreparedReturn,
): string {
  const pieces = lines.map(({ line_item_id, quantity }) => `${line_item_id}~${quantity}`);
  return `${accountLink(baseUrl, site_id)}&order=${order_id}&return=${[reason, ...pieces].join('.')}#returns`;
}

/** The page where a consumer withdraws from a contract, without a login. */
export function withdrawLink(baseUrl: string, site_id: string): string {
  return `${baseUrl}/sites/${site_id}/withdraw`;
}

/** The URL of the withdrawal page. At the shop's own host, it needs no site id. */
export function withdrawFormUrl({ baseUrl, hosts }: Pick<LinkDeps, 'baseUrl' | 'hosts'>, site_id: string): string {
  const address = hosts.addressOf(site_id);
  return address === baseUrl ? withdrawLink(baseUrl, site_id) : `${address}/withdraw`;
}

/** The hosted page of a legal text. */
export function legalLink(baseUrl: string, site_id: string, kind: string): string {
  return `${baseUrl}/sites/${site_id}/legal/${kind}`;
}

/** The page where a customer enters the user code of an agent. */
export function consentPage(baseUrl: string, site_id: string): string {
  return `${baseUrl}/agent-consent?site_id=${site_id}`;
}

/** The page where a customer decides on an OAuth request. */
export function authorizationPage(baseUrl: string, site_id: string, secret: string): string {
  return `${consentPage(baseUrl, site_id)}&request=${secret}`;
}

/** Path of the page that sends the customer back to the OAuth client. */
export function authorizationLeavePage(site_id: string, secret: string): string {
  return authorizationPage('', site_id, secret).replace('?', '/leave?');
}

/** The page that ends a login delay after wrong passwords. */
export function unlockLink(baseUrl: string, token: string): string {
  return `${baseUrl}/unlock/${token}`;
}

/** The page where an invited person accepts. The secret is in the fragment, which browsers do not send. */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}/panel/invitation#${token}`;
}

/** The page where staff set a new password. The secret is in the fragment, which browsers do not send. */
export function panelResetLink(serverUrl: string, token: string): string {
  return `${serverUrl}/panel/reset#${token}`;
}

export function resetLink(baseUrl: string, site_id: string, token: string): string {
  return `${baseUrl}/account/${site_id}/reset/${token}`;
}

/**
 * The secret in the URL of a checkout page. It is derived from SECRET_KEY, so that it can be computed again although
 * the database stores only its hash.
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
 * The secret of an order link, such as that of the confirmation page. It is derived from SECRET_KEY, so that a repeated
 * visit adds no second link.
 */
export function orderToken({ siteId }: Shop, { secretKey }: Pick<LinkDeps, 'secretKey'>, order_id: string): string {
  const seed = createHmac('sha256', secretKey).update(`order|${siteId}|${order_id}`).digest();
  return tokenFrom('order', seed);
}

/**
 * The authorization code of an approved OAuth request. It is derived from SECRET_KEY, so that the redirect page can
 * compute it although the database stores only its hash.
 */
export function authorizationCode(
  { siteId }: Pick<Shop, 'siteId'>,
  { secretKey }: Pick<LinkDeps, 'secretKey'>,
  secret: string,
): string {
  const seed = createHmac('sha256', secretKey).update(`authorization code|${siteId}|${secret}`).digest();
  return tokenFrom('code', seed);
}

export function checkoutLink(baseUrl: string, token: string): string {
  return `${baseUrl}/checkout/${token}`;
}

/** The hosted page of a checkout. The URL contains a secret. */
export function checkoutUrl(shop: Shop, deps: LinkDeps, checkout_id: string): string {
  return checkoutLink(deps.hosts.addressOf(shop.siteId), checkoutToken(shop, deps, checkout_id));
}
