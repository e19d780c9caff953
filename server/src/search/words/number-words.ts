import type { Token } from './tokens.ts';

/** Numbers in digits or words: `20`, `twenty`, `twenty-five`, `two hundred and fifty`. */

export interface ParsedNumber {
  value: number;
  /** The index of the token after it. */
  to: number;
  /** Whether it is written in words. Those are part of a name more often, so callers ask for further evidence. */
  isSpelled: boolean;
}

const SMALL = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`.split(/\s+/);
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

export function parseNumberAt(tokens: Token[], at: number): ParsedNumber | undefined {
  const value = tokens[at]?.number;
  if (value !== undefined) return { value, to: at + 1, isSpelled: false };
  const before = parseBelowHundred(tokens, at);
  const hundred = before ? before.to : tokens[at]?.text === 'a' ? at + 1 : at;
  if (tokens[hundred]?.text !== 'hundred') return before && { ...before, isSpelled: true };
  const rest = parseBelowHundred(tokens, tokens[hundred + 1]?.text === 'and' ? hundred + 2 : hundred + 1);
  return { value: (before?.value ?? 1) * 100 + (rest?.value ?? 0), to: rest?.to ?? hundred + 1, isSpelled: true };
}

function parseBelowHundred(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const word = tokens[at]?.text ?? '';
  const small = SMALL.indexOf(word);
  if (small >= 0) return { value: small, to: at + 1 };
  const tens = TENS.indexOf(word);
  if (tens < 0) return undefined;
  const next = tokens[at + 1]?.text === '-' ? at + 2 : at + 1;
  const unit = SMALL.indexOf(tokens[next]?.text ?? '');
  const hasUnit = unit > 0 && unit < 10;
  return { value: (tens + 2) * 10 + (hasUnit ? unit : 0), to: hasUnit ? next + 1 : at + 1 };
}
