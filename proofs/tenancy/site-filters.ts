import { DIRECTORY } from '../testing/owner-queries.ts';

/**
 * Matches conditions on the tenant's site, such as `p.site_id = $1` or `site_id = (select $1::uuid)`, but not joins on
 * site_id, nor the site_id of inserted rows.
 */
const CONDITION = /(?<![\w.])(?:(\w+)\.)?site_id\s*=\s*(?:\(select (\$\d+)::uuid\)|(\$\d+)(?:::uuid)?)/g;
const NAMED = /\b(?:from|join|update|into|using)\s+(?:only\s+)?(?:commerce\.)?(\w+)(?:\s+(?:as\s+)?(\w+))?/gi;

interface Named {
  table: string;
  alias: string;
}

function tablesOf(text: string): Named[] {
  return [...text.matchAll(NAMED)].map(([, table = '', alias = table]) => ({ table, alias }));
}

/** Whether a statement only reads tables that are used to find the tenant, which have no row-level security. */
export function readsOnlyDirectory(text: string): boolean {
  const tables = tablesOf(text);
  return tables.length > 0 && tables.every(({ table }) => DIRECTORY.includes(table));
}

/**
 * Removes the site conditions from a statement, and keeps its parameters. Conditions on tables that are used to find
 * the tenant stay, because these have no row-level security.
 */
export function withoutSite(text: string): string {
  const tables = tablesOf(text);
  const finds = (alias: string | undefined) =>
    tables.some(
      (one) => DIRECTORY.includes(one.table) && (alias === undefined || alias === one.alias || alias === one.table),
    );
  return text.replace(CONDITION, (condition, alias: string | undefined, queried?: string, value = queried) =>
    finds(alias) ? condition : `${value}::uuid is not null`,
  );
}
