import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../db/transaction.ts';
import { bodyMistake, ValidationError } from './errors.ts';
import { isRateLimitName, RATE_LIMITS, type RateLimit, type RateLimitName } from './rate-limits.ts';
import type { Shop } from './shop.ts';

/** Rate limits of a site that differ from the defaults. Every request reads them, so a change applies immediately. */
export type SiteLimits = Partial<Record<RateLimitName, number>>;

/** Limits that are checked before the site of a request is known. They are the same for all sites. */
const OF_ALL_SITES: RateLimitName[] = [
  'operator',
  'login',
  'second_factor',
  'failed_credentials',
  'failed_credentials_address',
];

export function isOfAllSites(name: RateLimitName): boolean {
  return OF_ALL_SITES.includes(name);
}

/** The highest value that a site may have for a limit. It is lower for strict limits, which prevent guessing. */
export function mostOf({ points, strict }: RateLimit): number {
  return points * (strict ? 10 : 100);
}

export function limitFor(name: RateLimitName, limits: SiteLimits): { points: number; seconds: number } {
  const { points, seconds } = RATE_LIMITS[name];
  return { points: limits[name] ?? points, seconds };
}

/** Returns undefined for an unknown site. */
export async function findSiteLimits(db: Pool, site_id: string): Promise<SiteLimits | undefined> {
  const { rows } = await queryAlone<{ limits: SiteLimits }>(
    db,
    sql`select limits from sites where site_id = ${site_id}::uuid`,
  );
  return rows[0]?.limits;
}

/** Sets some limits of a site; `undefined` restores a default. Returns undefined for an unknown site. */
export async function setSiteLimits(db: Pool, site_id: string, wanted: Map<RateLimitName, number | undefined>) {
  const set = Object.fromEntries([...wanted].filter(([, points]) => points !== undefined));
  const usual = [...wanted].filter(([, points]) => points === undefined).map(([name]) => name);
  const { rows } = await queryAlone<{ limits: SiteLimits }>(
    db,
    sql`update sites set limits = (limits || ${JSON.stringify(set)}::jsonb) - ${usual}::text[]
      where site_id = ${site_id}::uuid returning limits`,
  );
  return rows[0]?.limits;
}

export async function limitsOf(shop: Shop): Promise<SiteLimits> {
  const found = await shop.one<{ limits: SiteLimits }>(sql`select limits from sites where site_id = ${shop.siteId}`);
  return found?.limits ?? {};
}

/** Replaces the limits of the site. Throws a ValidationError for an invalid name or number. */
export async function replaceLimits(shop: Shop, limits: Record<string, number>): Promise<SiteLimits> {
  const mistakes = Object.entries(limits).flatMap(([name, points]) => {
    if (!isRateLimitName(name) || isOfAllSites(name)) {
      return [bodyMistake(['limits', name.slice(0, 100)], 'value_error', 'Unknown limit.')];
    }
    const most = mostOf(RATE_LIMITS[name]);
    return points <= most
      ? []
      : [bodyMistake(['limits', name], 'less_than_equal', `Must be at most ${most}.`, { le: most })];
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  await shop.run(sql`update sites set limits = ${JSON.stringify(limits)}::jsonb where site_id = ${shop.siteId}`);
  return limits as SiteLimits;
}

/** Lists all limits that can differ by site, with their current values. */
export function toldLimits(limits: SiteLimits) {
  const names = (Object.keys(RATE_LIMITS) as RateLimitName[]).filter((name) => !isOfAllSites(name));
  return names.map((name) => ({
    name,
    ...limitFor(name, limits),
    default_points: RATE_LIMITS[name].points,
    most_points: mostOf(RATE_LIMITS[name]),
  }));
}

/** Validates a limit from a file; undefined if it is invalid. */
export function limitIn(name: string, points: unknown): SiteLimits | undefined {
  if (!isRateLimitName(name) || isOfAllSites(name)) return undefined;
  const isSettable = typeof points === 'number' && Number.isInteger(points) && points >= 1;
  return isSettable && points <= mostOf(RATE_LIMITS[name]) ? { [name]: points } : undefined;
}

/** Parses `NAME=VALUE`, where the value is a number or `default`. Throws an Error that explains the mistake. */
export function readLimit(text: string): [RateLimitName, number | undefined] {
  const [name = '', value = ''] = text.split('=');
  if (!isRateLimitName(name)) {
    throw new Error(`Unknown limit "${name}". The limits are ${Object.keys(RATE_LIMITS).join(', ')}.`);
  }
  if (isOfAllSites(name))
    throw new Error(`${name} cannot differ by site, because it is checked before the site is known.`);
  if (value === 'default') return [name, undefined];
  const most = mostOf(RATE_LIMITS[name]);
  const points = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (points >= 1 && points <= most) return [name, points];
  throw new Error(`${name} must be a whole number from 1 to ${most} or default, not "${value}".`);
}
