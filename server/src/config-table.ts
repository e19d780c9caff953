import { readFileSync, writeFileSync } from 'node:fs';
import { VARIABLES, type Variable } from './config-variables.ts';
import { withTableBetween } from './written-table.ts';

// Run directly (`node server/src/config-table.ts`), this brings the table of docs/configuration.md up to date.
const PAGE = new URL('../../docs/configuration.md', import.meta.url);
const BEGIN = '<!-- settings: written by server/src/config-table.ts -->';
const END = '<!-- end of settings -->';

/** The page with its table rewritten from VARIABLES; the text around the table stays as it is. */
export function withTable(page: string): string {
  return withTableBetween(page, BEGIN, END, table());
}

function table(): string {
  const rows = Object.entries(VARIABLES).map(([name, variable]) => {
    const { meaning, allowed, whenUnset, secret }: Variable<unknown> = variable;
    return `| \`${name}\` | ${meaning}${secret ? ' **Secret.**' : ''} | ${allowed} | ${whenUnset} |\n`;
  });
  return ['| Variable | What it does | Values | When unset |\n', '|---|---|---|---|\n', ...rows].join('');
}

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
