import type { Token } from '../words/tokens.ts';
import { parseAmount } from './amounts.ts';
import type { Comparison } from './limit-words.ts';

const OFTEN_MISSPELT: [string, Comparison][] = [
  ['under', 'max'],
  ['below', 'max'],
  ['maximum', 'max'],
  ['above', 'min'],
  ['around', 'near'],
  ['unter', 'max'],
  ['hochstens', 'max'],
  ['mindestens', 'min'],
];

/** `undr 100 euros`: a word one edit from a comparison, before an amount with its currency. */
export function misspelt(tokens: Token[], at: number) {
  const text = tokens[at]?.text ?? '';
  if (text.length < 4 || !parseAmount(tokens, at + 1)?.currency) return undefined;
  const found = OFTEN_MISSPELT.find(([word]) => isOneEditAway(text, word));
  return found && { value: found[1], words: [found[0]], to: at + 1, isGuess: true };
}

function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const rest = (text: string, skipped: number) => text.slice(start + skipped);
  return (
    rest(a, 1) === rest(b, 1) ||
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    (a[start] === b[start + 1] && a[start + 1] === b[start] && rest(a, 2) === rest(b, 2))
  );
}
