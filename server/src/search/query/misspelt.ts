import { edits } from '../words/misspellings.ts';
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
  const found = OFTEN_MISSPELT.find(([word]) => edits(text, word) <= 1);
  return found && { value: found[1], words: [found[0]], to: at + 1, isGuess: true };
}
