import type { Token } from './tokens.ts';

/** Numbers as people write them: `20`, `twenty`, `twenty-five`, `two hundred and fifty`. */

export interface NumberRead {
  value: number;
  /** The token behind it. */
  to: number;
  /** Whether it is written in words. Those stand in names more often, and mean a number only where the rest says so. */
  isSpelled: boolean;
}

const SMALL = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`.split(/\s+/);
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

export function numberAt(tokens: Token[], at: number): NumberRead | undefined {
  const value = tokens[at]?.number;
  if (value !== undefined) return { value, to: at + 1, isSpelled: false };
  const before = belowHundred(tokens, at);
  const hundred = before ? before.to : tokens[at]?.text === 'a' ? at + 1 : at;
  if (tokens[hundred]?.text !== 'hundred') return before && { ...before, isSpelled: true };
  const rest = belowHundred(tokens, tokens[hundred + 1]?.text === 'and' ? hundred + 2 : hundred + 1);
  return { value: (before?.value ?? 1) * 100 + (rest?.value ?? 0), to: rest?.to ?? hundred + 1, isSpelled: true };
}

function belowHundred(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const word = tokens[at]?.text ?? '';
  const small = SMALL.indexOf(word);
  if (small >= 0) return { value: small, to: at + 1 };
  const tens = TENS.indexOf(word);
  if (tens < 0) return undefined;
  const next = tokens[at + 1]?.text === '-' ? at + 2 : at + 1;
  const unit = SMALL.indexOf(tokens[next]?.text ?? '');
  const isJoined = unit > 0 && unit < 10;
  return { value: (tens + 2) * 10 + (isJoined ? unit : 0), to: isJoined ? next + 1 : at + 1 };
}
