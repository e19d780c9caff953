/** Limits against guessing, counted in PostgreSQL. A request that cannot be counted fails. */

import type { Pool } from 'pg';
import { networkOf } from '../../shop/client-network.ts';
import { foldEmail } from '../../shop/emails.ts';
import { accountKey, customerAccount } from '../../shop/login-throttle.ts';
import { findPass } from '../../shop/login-unlocks.ts';
import { type Draw, draw, giveBack } from '../../shop/rate-counts.ts';
import { RATE_LIMITS, type RateLimitName } from '../../shop/rate-limits.ts';
import { findSiteLimits, limitFor, type SiteLimits } from '../../shop/site-limits.ts';
import type { Claim } from '../callers/caller.ts';
import { unlockPasses } from '../callers/unlock-cookie.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import { type Counted, rateLimitHeaders, refusedFor } from './counted.ts';

interface StrictLimit {
  limit: RateLimitName;
  /** The key of the counter. `token` is a private storefront token sent with the buyer's IP address. */
  by: 'address' | 'token' | 'site' | 'email' | 'cart';
  /** Whether only failures count: a success gives its point back. */
  failures?: true;
}

/** The strict limits, by the rate limit name in the contract. */
const STRICT: Record<string, StrictLimit[]> = {
  login: [{ limit: 'login', by: 'address', failures: true }],
  customer_login: [
    { limit: 'customer_login', by: 'address', failures: true },
    { limit: 'customer_login_token', by: 'token', failures: true },
  ],
  reset_request: [
    { limit: 'reset_request', by: 'email' },
    { limit: 'reset_request_address', by: 'address' },
  ],
  discount_apply: [
    { limit: 'discount_apply', by: 'cart' },
    { limit: 'discount_failed_address', by: 'address', failures: true },
    { limit: 'discount_failed_site', by: 'site', failures: true },
  ],
  consent_request: [{ limit: 'consent_request', by: 'address' }],
  // Clients that poll too fast get `slow_down`. This limits all polls from one IP address.
  consent_poll: [{ limit: 'consent_poll', by: 'address' }],
};

export function isStrict({ rateLimit }: Operation): boolean {
  return rateLimit in STRICT;
}

export type Counting = Pick<Received, 'ip' | 'headers' | 'params' | 'body'>;

/** A buyer whose IP address was sent with a private storefront token. */
export interface NamedBuyer {
  ip: string;
  token_id: string | undefined;
}

interface StrictDraw extends Draw {
  failures: boolean;
  /** Whether successful requests pass above the limit. */
  rejectsOnlyFailures: boolean;
}

export async function countInDatabase(
  { db, baseUrl }: { db: Pool; baseUrl: string },
  operation: Operation,
  claim: Claim,
  request: Counting,
  buyer: NamedBuyer | undefined,
): Promise<Counted> {
  if (!isStrict(operation)) return { headers: {} };
  const limits = claim.site_id ? await findSiteLimits(db, claim.site_id) : undefined;
  const draws = drawsOf(operation, claim, request, buyer, limits ?? {});
  return take(db, operation.rateLimit, (await isUnlocked(db, baseUrl, operation, claim, request)) ? [] : draws);
}

/**
 * Whether a login comes from a browser that opened the account's unlock link. Such a login is not counted with others
 * at the same IP address, but the account's own delay still applies (shop/login-throttle.ts).
 */
async function isUnlocked(db: Pool, baseUrl: string, operation: Operation, { site_id }: Claim, request: Counting) {
  const { email, unlock_token } = (request.body ?? {}) as { email?: unknown; unlock_token?: unknown };
  if (!LOGINS.includes(operation.id) || typeof email !== 'string') return false;
  const unlocks = [String(unlock_token ?? ''), ...unlockPasses(request, baseUrl)];
  const account = operation.id === 'dashboard.login' ? email : customerAccount(site_id ?? '', email);
  return (await findPass(db, accountKey(account), unlocks)) !== undefined;
}

const LOGINS: Operation['id'][] = ['dashboard.login', 'storefront.loginCustomer'];

/** Counts an attempt that is not an operation of the contract, for one subject in a site. */
export async function countGuess(db: Pool, limit: RateLimitName, site_id: string, subject: string): Promise<Counted> {
  const { points, seconds } = limitFor(limit, (await findSiteLimits(db, site_id)) ?? {});
  return take(db, limit, [
    { points, seconds, failures: true, rejectsOnlyFailures: false, key: `${limit} ${site_id} ${subject}` },
  ]);
}

/**
 * Takes a point from each limit. The headers describe the limit with the fewest points left, among the limits that also
 * reject correct requests.
 */
async function take(db: Pool, name: string, draws: StrictDraw[]): Promise<Counted> {
  if (draws.length === 0) return { headers: {} };
  const drawn = (await draw(db, draws)).map((result, i) => ({ ...result, policy: draws[i] as StrictDraw }));
  const refusing = drawn.filter(({ policy }) => !policy.rejectsOnlyFailures);
  const [tightest] = refusing.toSorted((one, other) => one.remaining - other.remaining);
  const failures = draws.filter((one) => one.failures);
  const succeeded = failures.length > 0 ? () => giveBack(db, failures) : undefined;
  const headers = tightest
    ? rateLimitHeaders(name, tightest.policy, Math.max(0, tightest.remaining), tightest.ms_until_reset)
    : {};
  if (tightest && tightest.remaining < 0) {
    // Gives back the points, so that a rejected attempt does not use up the points of other callers.
    await succeeded?.();
    return { headers, refusal: refusedFor(tightest.ms_until_reset) };
  }
  const spent = drawn.find(({ policy, remaining }) => policy.rejectsOnlyFailures && remaining < 0);
  return { headers, succeeded, ...(spent && { refusalIfFailed: refusedFor(spent.ms_until_reset) }) };
}

function drawsOf(
  operation: Operation,
  { site_id }: Claim,
  request: Counting,
  buyer: NamedBuyer | undefined,
  limits: SiteLimits,
): StrictDraw[] {
  return (STRICT[operation.rateLimit] ?? []).flatMap(({ limit, by, failures = false }) => {
    const subject = subjectOf(by, site_id, request, buyer);
    if (subject === undefined) return [];
    const { points, seconds } = limitFor(limit, limits);
    const { rejectsOnlyFailures } = RATE_LIMITS[limit];
    return [
      { points, seconds, failures, rejectsOnlyFailures, key: `${countedAs(operation)} ${site_id} ${by} ${subject}` },
    ];
  });
}

/** The name under which calls of an operation are counted. Discount codes are counted together across all APIs. */
function countedAs({ id, rateLimit }: Operation): string {
  return rateLimit === 'discount_apply' ? 'storefront.applyDiscount' : id;
}

function subjectOf(
  by: StrictLimit['by'],
  site_id: string | null,
  request: Counting,
  buyer: NamedBuyer | undefined,
): string | undefined {
  const email = (request.body as Record<string, unknown> | undefined)?.email;
  if (by === 'email') return email === undefined ? undefined : foldEmail(String(email));
  const ip = buyer?.ip ?? request.ip;
  const address = ip && networkOf(ip);
  const subjects = { address, token: buyer?.token_id, site: site_id ?? undefined, cart: request.params.cart_id };
  const subject = subjects[by];
  return subject === undefined ? undefined : String(subject).toLowerCase();
}
