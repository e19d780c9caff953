/**
 * Fetches the profile of the calling agent and caches it for as long as the profile allows, within limits. The request
 * follows no redirects and cannot reach private networks. Fetches are rate-limited, because anyone can send any URL.
 */

import type { JsonWebKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { AddressRefused, checkUrl, type EgressPolicy } from '../egress/addresses.ts';
import type { Egress } from '../egress/post.ts';
import type { Limits } from '../http/pipeline/limits.ts';
import { type AgentProfile, findProfile, keepProfile } from '../shop/agents/profiles.ts';
import { inShop } from '../shop/in-shop.ts';
import { SYSTEM, type Tenant } from '../shop/shop.ts';
import { ProtocolError, VERSIONS } from './protocol.ts';

export interface ProfileDeps {
  db: Pool;
  egress: Egress;
  limits: Limits;
}

const MAX_BYTES = 128 * 1024;
const TOTAL_MS = 3_000;
const KEPT_SECONDS = { least: 60, usual: 3_600, most: 86_400 };
const MAX_URL = 2_048;

/** A URL that failed is not fetched again for a minute. */
const failed = new LRUCache<string, ProtocolError>({ max: 1_000, ttl: 60_000 });

/** Returns the URL in `UCP-Agent: profile="https://…"`, a dictionary of structured fields (RFC 8941). */
export function profileUrlIn(header: string | undefined): string {
  const members = header?.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  const named = members.flatMap((member) => /^\s*profile="((?:[^"\\]|\\["\\])*)"\s*(?:;.*)?$/.exec(member)?.[1] ?? []);
  // If a member appears twice, the last one counts.
  const url = named.at(-1)?.replaceAll(/\\(["\\])/g, '$1');
  if (url === undefined) {
    throw new ProtocolError(
      400,
      'invalid_profile_url',
      'Send UCP-Agent: profile="https://…", the address of your profile.',
    );
  }
  return url;
}

export async function profileAt(
  deps: ProfileDeps,
  tenant: Tenant,
  given: string,
  ip: string | undefined,
  { refresh = false } = {},
): Promise<AgentProfile> {
  const url = checkedUrl(deps, given);
  const kept = refresh ? undefined : await inShop(deps.db, tenant, SYSTEM, (shop) => findProfile(shop, url.href));
  if (kept) return kept;
  const before = failed.get(url.href);
  if (before) throw before;
  await deps.limits.countFetch(url.hostname, ip).then(({ headers, refusal }) => {
    if (refusal) throw tooMany(Number(refusal.context.retry_after_seconds ?? 60), headers);
  });
  try {
    const fetched = await fetchProfile(deps, url);
    return await inShop(deps.db, tenant, SYSTEM, (shop) => keepProfile(shop, fetched));
  } catch (error) {
    if (error instanceof ProtocolError) failed.set(url.href, error);
    throw error;
  }
}

function tooMany(seconds: number, headers: Record<string, string>): ProtocolError {
  return new ProtocolError(429, 'rate_limited', 'Too many profiles had to be fetched. Wait, and try again.', {
    ...headers,
    'Retry-After': String(seconds),
  });
}

/** Rejects an invalid URL. The IP addresses of its host are checked when it is fetched. */
function checkedUrl({ egress: { policy } }: ProfileDeps, given: string): URL {
  try {
    const url = given.length <= MAX_URL ? checkUrl(given, policy) : undefined;
    if (url && !url.hash) return url;
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw new ProtocolError(400, 'invalid_profile_url', error.message);
  }
  throw new ProtocolError(400, 'invalid_profile_url', 'The address of the profile is too long, or has a fragment.');
}

async function fetchProfile({ egress }: ProfileDeps, url: URL) {
  const document = await egress.get(url.href, { mostBytes: MAX_BYTES, milliseconds: TOTAL_MS });
  if (!document) throw new ProtocolError(424, 'profile_unreachable', 'The profile cannot be fetched.');
  const { least, usual, most } = KEPT_SECONDS;
  const keep_seconds = Math.min(most, Math.max(least, document.max_age_seconds ?? usual));
  return {
    url: url.href,
    host: url.hostname,
    keep_seconds,
    ...spokenBy(document.json),
    ...webhookIn(document.json, url, egress.policy),
  };
}

const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const NAME = /^[\w.-]{1,200}$/;

/** Picks the fields of a profile that the negotiation needs. Throws if the profile is malformed. */
function spokenBy(document: unknown): Pick<AgentProfile, 'version' | 'capabilities' | 'keys'> {
  const ucp = objectIn(objectIn(document).ucp);
  const { version } = ucp;
  if (typeof version !== 'string' || !VERSION.test(version))
    throw malformed('ucp.version must be a date such as 2026-08-25.');
  objectIn(ucp.services);
  objectIn(ucp.payment_handlers);
  const declared = Object.entries(objectIn(ucp.capabilities ?? {})).slice(0, 200);
  const capabilities = declared.map(([name, entries]) => {
    if (!Array.isArray(entries)) throw malformed('each entry of ucp.capabilities must be a list.');
    const versions = entries.slice(0, 20).map((entry) => objectIn(entry).version);
    return [name, versions.filter((one) => typeof one === 'string' && VERSION.test(one)) as string[]] as const;
  });
  const known = Object.fromEntries(capabilities.filter(([name]) => NAME.test(name)));
  return { version, capabilities: known, keys: keysIn(objectIn(document)) };
}

const MOST_KEYS = 20;

/**
 * The public keys that may sign requests. A key of an unknown type is kept, because it concerns only its own
 * signatures. Version 2026-04-08 has them in `signing_keys`.
 */
function keysIn({ signing_keys, keys = signing_keys ?? [] }: Record<string, unknown>): JsonWebKey[] {
  if (!Array.isArray(keys)) throw malformed('keys must be a list.');
  const usable = keys.slice(0, MOST_KEYS).map(objectIn).filter(isForSignatures);
  return usable.map((key) => Object.fromEntries(MEMBERS.flatMap((name) => memberOf(key, name))));
}

const MEMBERS = ['kid', 'kty', 'crv', 'x', 'y', 'alg'];
/**
 * Members with other values are dropped. A signature names its key in ASCII (RFC 8941), and no supported key has a
 * longer member.
 */
const MEMBER = /^[\x20-\x7e]{1,256}$/;

function memberOf(key: Record<string, unknown>, name: string): [string, string][] {
  const value = key[name];
  return typeof value === 'string' && MEMBER.test(value) ? [[name, value]] : [];
}

/** Whether a key may be used for signatures (RFC 7517, sections 4.2 and 4.3). */
function isForSignatures({ use, key_ops }: Record<string, unknown>): boolean {
  return use !== 'enc' && (!Array.isArray(key_ops) || key_ops.includes('verify'));
}

type WebhookUrl = Pick<AgentProfile, 'webhook_url' | 'webhook_refused'>;

/**
 * Reads the URL for order events. It must be on the host of the profile, so that nobody can make the server call a host
 * other than the one from which the profile was fetched.
 */
function webhookIn(document: unknown, profile: URL, policy: EgressPolicy): WebhookUrl {
  const [entry] = entriesOf(document, 'dev.ucp.shopping.order').filter(({ config }) => config !== undefined);
  const given = (entry?.config as { webhook_url?: unknown } | null | undefined)?.webhook_url;
  if (given === undefined) return { webhook_url: null, webhook_refused: null };
  const refused = (why: string) => ({ webhook_url: null, webhook_refused: `config.webhook_url: ${why}` });
  if (typeof given !== 'string' || given.length > MAX_URL) return refused('Send a URL of at most 2,048 characters.');
  try {
    const url = checkUrl(given, policy);
    if (url.hostname !== profile.hostname)
      return refused(`Use a URL on ${profile.hostname}, the host of your profile.`);
    return { webhook_url: url.href, webhook_refused: null };
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return refused(error.message);
  }
}

function entriesOf(document: unknown, capability: string): Record<string, unknown>[] {
  const entries = objectIn(objectIn(objectIn(document).ucp).capabilities ?? {})[capability];
  return Array.isArray(entries) ? entries.map(objectIn) : [];
}

function objectIn(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw malformed('the profile, ucp, ucp.services, ucp.payment_handlers and ucp.capabilities must be objects.');
}

function malformed(why: string): ProtocolError {
  return new ProtocolError(422, 'profile_malformed', `The profile cannot be used: ${why}`);
}

/** Throws `version_unsupported` unless this server supports the profile's version of UCP. */
export function requireVersion({ version }: Pick<AgentProfile, 'version'>): void {
  if (VERSIONS.includes(version)) return;
  const content = `Version ${version} is not supported. Publish a profile of version ${VERSIONS.join(' or ')}.`;
  throw new ProtocolError(422, 'version_unsupported', content);
}
