import { readFileSync, writeFileSync } from 'node:fs';
import { VARIABLES, type Variable } from './config-variables.ts';
import { withTableBetween } from './written-table.ts';

// `node server/src/config-table.ts` updates the table in docs/configuration.md.
const PAGE = new URL('../../docs/configuration.md', import.meta.url);
const BEGIN = '<!-- settings: written by server/src/config-table.ts -->';
const END = '<!-- end of settings -->';

/** Replaces the table in the page with one generated from VARIABLES. */
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
