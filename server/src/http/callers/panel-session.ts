import type { IncomingHttpHeaders } from 'node:http';
import { ShopError } from '../../shop/errors.ts';
import { isWellFormed } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import type { SiteHosts } from './site-hosts.ts';

/**
 * The session of the panel: a staff session in a cookie that scripts cannot read. Browsers send cookies with calls of
 * any page, so the session counts only if the browser marks the call as the panel's own:
 * 1. `Sec-Fetch-Site: same-origin`, and our `Origin`: on every mutation, and on reads if it is sent.
 * 2. `X-Panel: 1`, which other origins could send only after a preflight, and such a preflight is never granted.
 * 3. No other credential, and no second cookie of the same name, because one of the two would be forged.
 * Responses to a login or password change from the panel contain no token, but set the cookie; logout removes it.
 */
const OTHER_CREDENTIALS = ['authorization', 'x-api-key', 'x-service-token', 'x-sync-secret'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The name of the session cookie; undefined on plain http (except on localhost), where browsers would not protect it.
 */
export function panelCookieName(ownOrigin: string): string | undefined {
  const { protocol, hostname } = new URL(ownOrigin);
  // The prefix binds the cookie to this host, so that no other host can set one. It needs https.
  if (protocol === 'https:') return '__Host-panel';
  return LOOPBACK.includes(hostname) ? 'panel' : undefined;
}

/**
 * The headers of a request. If it has a valid panel session, its token is moved from the cookie to the header in which
 * other sessions send it.
 */
export function withPanelSession(operation: Operation, sender: Sender, hosts: SiteHosts): IncomingHttpHeaders {
  const { headers } = sender;
  if (operation.surface !== 'dashboard' || !namesPanel(headers)) return headers;
  if (isSessionOpening(operation) && !isFromPanel(operation, sender, hosts)) throw notFromPanel(hosts.originAt(sender));
  const session = sessionIn(headers, hosts.originAt(sender));
  if (operation.security.length === 0 || session === undefined || !isFromPanel(operation, sender, hosts))
    return headers;
  if (OTHER_CREDENTIALS.some((name) => headers[name] !== undefined)) {
    throw new ShopError('unauthorized', "Send one credential. The panel's session is already one.");
  }
  return { ...headers, authorization: `Bearer ${session}` };
}

/** Whether the response contains a new session. */
export function isSessionOpening({ id }: Operation): boolean {
  return id === 'dashboard.login' || id === 'dashboard.changePassword';
}

export function namesPanel(headers: IncomingHttpHeaders): boolean {
  return headers['x-panel'] === '1';
}

function isFromPanel({ method }: Operation, { headers }: Sender, hosts: SiteHosts): boolean {
  const own = hosts.originAt({ headers });
  if (panelCookieName(own) === undefined || headers['sec-fetch-site'] !== 'same-origin') return false;
  return headers.origin === own || (headers.origin === undefined && method === 'get');
}

function sessionIn({ cookie = '' }: IncomingHttpHeaders, ownOrigin: string): string | undefined {
  const name = panelCookieName(ownOrigin);
  const values = cookie.split(/; */).filter((part) => name !== undefined && part.startsWith(`${name}=`));
  const value = values.length === 1 ? values[0]?.slice(values[0].indexOf('=') + 1) : undefined;
  return value !== undefined && isWellFormed('staff', value) ? value : undefined;
}

function notFromPanel(ownOrigin: string): ShopError {
  return new ShopError('origin_not_allowed', `Only the panel may send X-Panel. Open it at ${ownOrigin}/panel.`);
}
