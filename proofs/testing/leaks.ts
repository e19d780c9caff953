import type { Reply } from './raw-requests.ts';
import { tokenPattern } from './token-pattern.ts';

/**
 * Patterns that no error may match: SQL and names of the database, server paths, names of the software that the server
 * uses, and secrets.
 */
const LEAKS: Record<string, RegExp> = {
  'a piece of SQL': /\b(?:select\s.{1,80}\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from)\b/i,
  'a name of the database':
    /\b(?:pg_\w+|commerce_app|idempotency_keys|site_settings|staff_sessions|relation "|constraint "|syntax error at)/i,
  'a state of the database': /\b(?:22P02|22021|23505|42501|42P01|XX000)\b/,
  'a path': /(?:\/home\/|\/work\/|\/tmp\/|\/root\/|node_modules|file:\/\/|[\w-]+\.(?:ts|js|mjs):\d)/,
  'a stack': /\n\s*at |\bat \w+ \(/,
  'what we are built with': /\b(?:express|postgres(?:ql)?|node(?:js)?\/\d|ajv|openapi-validator|redis|knex)\b/i,
  'a secret': tokenPattern('{32,}'),
};

/** Returns the kinds of leaks in an error response, including its headers. */
export function leaksIn({ headers, text }: Reply): string[] {
  const shown = `${JSON.stringify(headers)}\n${text}`;
  return Object.entries(LEAKS).flatMap(([kind, pattern]) => {
    const found = pattern.exec(shown);
    return found ? [`an error tells ${kind}: ${found[0].slice(0, 100)} in ${text.slice(0, 500)}`] : [];
  });
}
