import { isIP, type Socket } from 'node:net';
import type { Agent, buildConnector, request } from 'undici';
import { checkAddress, type EgressPolicy, guardedLookup } from './addresses.ts';
import { ownAddresses } from './names.ts';

const CONNECT_MS = 3_000;
export const TOTAL_MS = 15_000;
export const READ_BYTES = 16 * 1024;
/**
 * Time after which idle connections are closed: long enough for a burst of webhooks, but short, because the host's IP
 * address may change.
 */
const KEEP_ALIVE_MS = 4_000;

/** The parts of undici that send requests. */
export interface Client {
  agent: Agent;
  request: typeof request;
}

/**
 * Opens a separate undici agent without proxy, cookies or redirects. The number of connections to a host is not limited
 * here, because callers limit it, and tenants with the same host must not wait for each other. undici is loaded on the
 * first request, because many servers send none.
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

/**
 * undici does not call `lookup` for IP addresses in URLs, so those are checked here. Every socket's peer address is
 * checked as well.
 */
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
