import { readFileSync, writeFileSync } from 'node:fs';
import { RATE_LIMITS, type RateLimit, type RateLimitName } from './shop/rate-limits.ts';
import { isOfAllSites, mostOf } from './shop/site-limits.ts';
import { withTableBetween } from './written-table.ts';

// `node server/src/rate-limits-table.ts` updates the table in docs/limits.md.
const PAGE = new URL('../../docs/limits.md', import.meta.url);
const BEGIN = '<!-- limits: written by server/src/rate-limits-table.ts -->';
const END = '<!-- end of limits -->';

/** Replaces the table in the page with one generated from RATE_LIMITS. */
export function withTable(page: string): string {
  return withTableBetween(page, BEGIN, END, table());
}

const WINDOWS: Record<number, string> = { 60: 'minute', 900: '15 minutes', 3600: 'hour' };

function table(): string {
  const limits = Object.entries(RATE_LIMITS) as [RateLimitName, RateLimit][];
  const rows = limits.map(([name, limit]) => {
    const { points, seconds, counts, per, strict, rejectsOnlyFailures, delays, strangers } = limit;
    const kept = delays ? 'delay' : rejectsOnlyFailures ? 'failures only' : strict ? 'never skipped' : 'load';
    const most = isOfAllSites(name) ? 'fixed' : `1 to ${mostOf(limit)}`;
    return `| \`${name}\` | ${counts} | ${per} | ${points} per ${WINDOWS[seconds]} | ${kept} | ${most} | ${strangers} |\n`;
  });
  const head =
    '| Name | Counted | Per | Limit | Kind | Bounds per site | Effect if a stranger exhausts it |\n|---|---|---|---|---|---|---|\n';
  return [head, ...rows].join('');
}

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
