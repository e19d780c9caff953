import type { Token } from './tokens.ts';

/** Fixed phrases of several languages, looked up by their first word. */
export type PhraseTable<Value> = ReadonlyMap<string, { words: string[]; value: Value }[]>;

/** `entries` name, for each value, its phrases, separated by commas. The longest come first. */
export function phraseTable<Value>(entries: [Value, string][]): PhraseTable<Value> {
  const table = new Map<string, { words: string[]; value: Value }[]>();
  for (const [value, list] of entries) {
    for (const phrase of list.split(',')) {
      const words = phrase.trim().split(/\s+/);
      const [first = ''] = words;
      if (first) table.set(first, [...(table.get(first) ?? []), { words, value }]);
    }
  }
  for (const phrases of table.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return table;
}

/** The longest phrase at this token. Hyphens between its words are skipped: `marked-down`. */
export function phraseAt<Value>(
  table: PhraseTable<Value>,
  tokens: Token[],
  at: number,
): { value: Value; words: string[]; to: number } | undefined {
  for (const { words, value } of table.get(tokens[at]?.text ?? '') ?? []) {
    const to = endOfPhrase(tokens, at, words);
    if (to !== undefined) return { value, words, to };
  }
  return undefined;
}

function endOfPhrase(tokens: Token[], at: number, words: string[]): number | undefined {
  let i = at;
  for (const word of words) {
    if (i > at && tokens[i]?.text === '-' && word !== '-') i += 1;
    if (tokens[i]?.text !== word) return undefined;
    i += 1;
  }
  return i;
}
