import type { IncomingHttpHeaders } from 'node:http';
import { ShopError } from '../../shop/errors.ts';
import { isWellFormed } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Sender } from '../received.ts';
import type { SiteHosts } from './site-hosts.ts';

/**
 * The session of the panel, which is a staff session in a cookie that no script can read. Browsers attach cookies whoever makes
 * them call, so it only counts where the browser says that the panel's own page calls:
 * 1. `Sec-Fetch-Site: same-origin`, and an `Origin` that is ours: on every mutation, and on reads if there is one.
 * 2. `X-Panel: 1`, which other origins could send only after a preflight, and that is never granted.
 * 3. No other credential, and no second cookie of the same name: one of the two would have been planted.
 * Login and a change of the password answer calls of the panel without the token, and set the cookie; logout removes it.
 */
const OTHER_CREDENTIALS = ['authorization', 'x-api-key', 'x-service-token', 'x-sync-secret'];
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The name of the cookie; undefined where browsers would not keep it safe: on plain http, except on this machine. */
export function panelCookieName(ownOrigin: string): string | undefined {
  const { protocol, hostname } = new URL(ownOrigin);
  // The prefix binds the cookie to this host only, so that no neighbour can plant one. It needs https.
  if (protocol === 'https:') return '__Host-panel';
  return LOOPBACK.includes(hostname) ? 'panel' : undefined;
}

/** The headers of a request, with the session of the panel's cookie, if it counts, where every other session stands. */
export function withPanelSession(operation: Operation, sender: Sender, hosts: SiteHosts): IncomingHttpHeaders {
  const { headers } = sender;
  if (operation.surface !== 'dashboard' || !namesPanel(headers)) return headers;
  if (isSessionOpening(operation) && !isFromPanel(operation, sender, hosts)) throw notFromPanel(hosts.originAt(sender));
  const session = sessionIn(headers, hosts.originAt(sender));
  if (operation.security.length === 0 || session === undefined || !isFromPanel(operation, sender, hosts))
    return headers;
  if (OTHER_CREDENTIALS.some((name) => headers[name] !== undefined)) {
    throw new ShopError('unauthorized', "Send one credential, not another one beside the panel's session.");
  }
  return { ...headers, authorization: `Bearer ${session}` };
}

/** Whether its answer holds a new session. */
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
