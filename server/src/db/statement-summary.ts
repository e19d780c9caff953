const summaries = new Map<string, string>();
/**
 * Maximum number of cached summaries. Statement texts are constants; the limit protects against texts built at run
 * time.
 */
const LIMIT = 2_000;

/** A short name of a statement for traces: verb and first table, such as `select products`. Never contains values. */
export function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known) return known;
  const [, verb = 'statement'] = /^\s*([a-z]+)/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|call)\s+(?:only\s+)?([a-z_][a-z0-9_.]*)/i.exec(text) ?? [];
  const summary = [verb.toLowerCase(), table].filter(Boolean).join(' ');
  if (summaries.size < LIMIT) summaries.set(text, summary);
  return summary;
}
