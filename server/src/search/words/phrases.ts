import type { Token } from './tokens.ts';

/** A table of fixed phrases by their first word. */
export type PhraseTable<Value> = ReadonlyMap<string, { words: string[]; value: Value }[]>;

/**
 * Creates a table. `entries` have a value and its phrases, as a list or separated by commas. Longer phrases come first.
 */
export function phraseTable<Value>(entries: [Value, string | string[]][]): PhraseTable<Value> {
  const table = new Map<string, { words: string[]; value: Value }[]>();
  for (const [value, list] of entries) {
    for (const phrase of typeof list === 'string' ? list.split(',') : list) {
      const words = phrase.trim().split(/\s+/);
      const [first = ''] = words;
      if (first) table.set(first, [...(table.get(first) ?? []), { words, value }]);
    }
  }
  for (const phrases of table.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return table;
}

/** The longest phrase that begins at this token. Hyphens between its words are skipped: `marked-down`. */
export function phraseAt<Value>(
  table: PhraseTable<Value>,
  tokens: Token[],
  at: number,
): { value: Value; words: string[]; to: number } | undefined {
  for (const { words, value } of table.get(tokens[at]?.text ?? '') ?? []) {
    let to = at;
    for (const word of words) {
      if (to > at && tokens[to]?.text === '-' && word !== '-') to += 1;
      if (tokens[to]?.text !== word) {
        to = -1;
        break;
      }
      to += 1;
    }
    if (to > at) return { value, words, to };
  }
  return undefined;
}
