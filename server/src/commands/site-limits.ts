import type { Config } from '../config.ts';
import { RATE_LIMITS, type RateLimitName } from '../shop/rate-limits.ts';
import { findSiteLimits, limitFor, readLimit, type SiteLimits, setSiteLimits } from '../shop/site-limits.ts';
import { withPool } from './database.ts';
import { refuseNoSiteId } from './site-id.ts';

/** Shows the rate limits of a site, after changing the given ones. */
export async function siteLimits(config: Config, site_id: string, { set }: { set: string[] }): Promise<void> {
  refuseNoSiteId(site_id);
  const wanted = new Map(set.map(readLimit));
  const limits = await withPool(config, (db) =>
    wanted.size > 0 ? setSiteLimits(db, site_id, wanted) : findSiteLimits(db, site_id),
  );
  if (!limits) throw new Error(`Site ${site_id} does not exist.`);
  process.stdout.write(tableOf(limits));
}

function tableOf(limits: SiteLimits): string {
  const names = Object.keys(RATE_LIMITS) as RateLimitName[];
  const width = Math.max(...names.map(({ length }) => length)) + 2;
  const lines = names.map((name) => {
    const { points, seconds } = limitFor(name, limits);
    const usual = name in limits ? `  (default ${RATE_LIMITS[name].points})` : '';
    return `${name.padEnd(width)}${points} per ${seconds} s${usual}\n`;
  });
  return lines.join('');
}
