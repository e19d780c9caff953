import { DIRECTORY } from './database.ts';

/**
 * `p.site_id = $1`, or `= (select $1::uuid)`: the tenant's site as a condition. Joins by it, and the sites of rows that are written,
 * stay.
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

/** Whether a statement reads only the tables with which the tenant is found, which have no row-level security. */
export function asksDirectoryAlone(text: string): boolean {
  const tables = tablesOf(text);
  return tables.length > 0 && tables.every(({ table }) => DIRECTORY.includes(table));
}

/**
 * A statement without its site conditions, with all its parameters. Those on the tables with which the tenant is found
 * stay, because these have no row-level security.
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
