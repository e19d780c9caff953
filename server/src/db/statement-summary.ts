const summaries = new Map<string, string>();
/** Maximum number of entries. The texts of statements are constants; the limit guards against one that is not. */
const LIMIT = 2_000;

/**
 * A summary of a statement for traces: its verb and first table, such as `select products`. It never contains a value.
 */
export function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known) return known;
  const [, verb = 'statement'] = /^\s*([a-z]+)/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|call)\s+(?:only\s+)?([a-z_][a-z0-9_.]*)/i.exec(text) ?? [];
  const summary = [verb.toLowerCase(), table].filter(Boolean).join(' ');
  if (summaries.size < LIMIT) summaries.set(text, summary);
  return summary;
}
