import { CommandError, EXIT, usageError } from '../errors.ts';

/** Where the consent of a shop is asked for. */
export interface ConsentPlace {
  baseUrl: string;
  siteId: string;
  /** Ends a token (RFC 7009). */
  revoke(token: string): Promise<void>;
}

/**
 * Finds it by the metadata of OAuth, as any client of MCP does:
 * 1. the address, asked without a token, names the metadata of the resource (RFC 9728)
 * 2. that is about this very address, and names the issuer
 * 3. the metadata of the issuer (RFC 8414) names where devices ask
 */
export async function findConsent(address: string): Promise<ConsentPlace> {
  checkAddress(address);
  const refused = await ask(address);
  const [, named] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? [];
  if (refused.status !== 401 || !named) throw notAShop();
  const { resource, authorization_servers } = await read(named, address);
  // Else another shop could have its tokens sent here.
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

/** Throws a usage error for what is no address of the web. */
export function checkAddress(address: string): void {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return;
  throw usageError(`${address} is no address.`, 'Give a whole one: https://shop.example/mcp');
}

async function read(metadata: string, address: string): Promise<Record<string, unknown>> {
  // Addresses that an answer names lead to the same server, or the answer is not believed.
  if (URL.parse(metadata)?.origin !== new URL(address).origin) throw notAShop();
  const answer = await ask(metadata);
  const told = await answer.json().catch(() => undefined);
  if (!answer.ok || typeof told !== 'object' || told === null) throw notAShop();
  return told as Record<string, unknown>;
}

const TIMEOUT_MS = 30_000;

/** A token that has ended already is as good. */
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
