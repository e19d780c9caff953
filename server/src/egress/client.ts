import { isIP, type Socket } from 'node:net';
import type { Agent, buildConnector, request } from 'undici';
import { checkAddress, type EgressPolicy, guardedLookup } from './addresses.ts';
import { ownAddresses } from './names.ts';

const CONNECT_MS = 3_000;
export const TOTAL_MS = 15_000;
export const READ_BYTES = 16 * 1024;
/** Lifetime of idle connections: enough for a burst, too short to outlive a change of address. */
const KEEP_ALIVE_MS = 4_000;

/** The loaded parts of undici that send requests. */
export interface Client {
  agent: Agent;
  request: typeof request;
}

/**
 * A separate undici agent: no proxy from the environment, no cookies, no redirects. It opens as many connections to a
 * host as there are requests: callers limit those, and tenants with the same host must not wait for each other. undici
 * is loaded with the first request, because many installations send none.
 */
export async function openClient(policy: EgressPolicy): Promise<Client> {
  const undici = await import('undici');
  const agent = new undici.Agent({
    connect: guardedConnector(policy, undici.buildConnector),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: TOTAL_MS,
    bodyTimeout: TOTAL_MS,
    maxHeaderSize: READ_BYTES,
  });
  return { agent, request: undici.request };
}

/** undici calls `lookup` only for names, so literals are checked here, and every socket again by its peer address. */
function guardedConnector(policy: EgressPolicy, connectorOf: typeof buildConnector): buildConnector.connector {
  const connect = connectorOf({ timeout: CONNECT_MS, lookup: guardedLookup(policy) as never });
  if (policy.allowPrivate) return connect;
  return (options, callback) => {
    const guard = async () => {
      const own = await ownAddresses(policy.ownHost);
      if (isIP(options.hostname)) checkAddress(options.hostname, own);
      return own;
    };
    const proceed = (own: ReadonlySet<string>) =>
      connect(options, (error, socket) => {
        if (error || !socket) return callback(error ?? new Error('no socket'), null);
        try {
          checkAddress((socket as Socket).remoteAddress ?? '', own);
        } catch (refusal) {
          socket.destroy();
          return callback(refusal as Error, null);
        }
        callback(null, socket);
      });
    guard().then(proceed, (refusal) => callback(refusal, null));
  };
}
