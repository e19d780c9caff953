import { CommandError, EXIT, usageError } from '../errors.ts';

/** The OAuth endpoints of a shop. */
export interface ConsentPlace {
  baseUrl: string;
  siteId: string;
  /** Revokes a token (RFC 7009). */
  revoke(token: string): Promise<void>;
}

/**
 * Discovers the shop's OAuth endpoints like any MCP client:
 * 1. A request without a token returns the URL of the resource metadata (RFC 9728).
 * 2. The resource metadata must name this URL, and contains the issuer.
 * 3. The issuer's metadata (RFC 8414) contains the device authorization endpoint.
 */
export async function findConsent(address: string): Promise<ConsentPlace> {
  checkAddress(address);
  const refused = await ask(address);
  const [, named] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? [];
  if (refused.status !== 401 || !named) throw notAShop();
  const { resource, authorization_servers } = await read(named, address);
  // Otherwise the shop at this address would be sent a token that is meant for `resource` (RFC 9728, section 3.3).
  if (resource !== address) {
    throw new CommandError(EXIT.refused, 'other_address', `The shop calls this address ${resource}.`, 'Use that one.');
  }
  const [issuer] = Array.isArray(authorization_servers) ? authorization_servers.map(String) : [];
  if (!issuer) throw notAShop();
  const { origin, pathname } = new URL(issuer);
  const found = await read(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`, address);
  const endpoint = URL.parse(String(found.device_authorization_endpoint));
  const siteId = endpoint?.searchParams.get('site_id');
  const revocation = String(found.revocation_endpoint);
  const isOwn = [endpoint?.origin, URL.parse(revocation)?.origin].every((one) => one === origin);
  if (found.issuer !== issuer || !endpoint || !siteId || !isOwn) throw notAShop();
  return { baseUrl: endpoint.origin, siteId, revoke: (token) => revoke(revocation, token) };
}

/** Validates a shop's URL. Throws a usage error. */
export function checkAddress(address: string): void {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return;
  throw usageError(`${address} is not a URL.`, 'Give a full URL: https://shop.example/mcp');
}

async function read(metadata: string, address: string): Promise<Record<string, unknown>> {
  // URLs in the metadata must be on the same server.
  if (URL.parse(metadata)?.origin !== new URL(address).origin) throw notAShop();
  const answer = await ask(metadata);
  const json = await answer.json().catch(() => undefined);
  if (!answer.ok || typeof json !== 'object' || json === null) throw notAShop();
  return json as Record<string, unknown>;
}

const TIMEOUT_MS = 30_000;

/** Revokes a token. Also succeeds if the token has expired or was already revoked (RFC 7009 §2.2). */
async function revoke(endpoint: string, token: string): Promise<void> {
  const { ok, status } = await ask(endpoint, { method: 'POST', body: new URLSearchParams({ token }) });
  if (!ok) throw new CommandError(EXIT.refused, 'not_revoked', `The shop answered ${status}.`, 'Try again later.');
}

async function ask(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    const remedy = 'Check that the server runs and that the address is right.';
    throw new CommandError(EXIT.unreachable, 'unreachable', `${new URL(address).origin} cannot be reached.`, remedy);
  }
}

function notAShop(): CommandError {
  const remedy = 'Give the address of the shop for MCP: …/sites/{site_id}/mcp, or /mcp at its own host.';
  return new CommandError(EXIT.refused, 'not_a_shop', 'There is no shop for assistants at this address.', remedy);
}
