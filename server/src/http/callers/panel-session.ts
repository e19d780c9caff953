/**
 * The panel's staff session, in a cookie that scripts cannot read. Browsers send cookies with requests from any page,
 * so the session is accepted only if all of these hold:
 * 1. `Sec-Fetch-Site` is `same-origin`, and `Origin` is our own. Reads may omit `Origin`.
 * 2. `X-Panel` is `1`. Other origins could send it only after a preflight, which is never granted.
 * 3. There is no other credential and no second cookie of the same name, because one of them would be forged.
 * Login and password change return the panel's token in the cookie instead of the body; logout deletes the cookie.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { ShopError } from '../../shop/errors.ts';
import { isWellFormed } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import type { SiteHosts } from './site-hosts.ts';

const OTHER_CREDENTIALS = ['authorization', 'x-api-key', 'x-service-token', 'x-sync-secret'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The name of the session cookie; undefined on plain http except on localhost, because the cookie could be intercepted.
 */
export function panelCookieName(ownOrigin: string): string | undefined {
  const { protocol, hostname } = new URL(ownOrigin);
  // Browsers accept the `__Host-` prefix only over https, and then no other host can set the cookie.
  if (protocol === 'https:') return '__Host-panel';
  return LOOPBACK.includes(hostname) ? 'panel' : undefined;
}

/**
 * Returns the request headers. For a valid panel session, the token is moved from the cookie to the Authorization
 * header.
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

/** Whether the operation returns a new session. */
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
