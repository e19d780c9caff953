/** Numbers in digits or words: `20`, `twenty`, `two hundred and fifty`, `fünfundzwanzig`, `half a dozen`. */

import type { Token } from './tokens.ts';

export interface ParsedNumber {
  value: number;
  /** The index of the next token after the number. */
  to: number;
  /**
   * Whether the number is written in words. Such numbers are part of a name more often, so callers need further
   * evidence.
   */
  isSpelled: boolean;
}

const numbered = (words: string, first = 0, step = 1) =>
  words.split(/\s+/).map((word, i): [string, number] => [word, first + i * step]);

const GERMAN_UNITS = 'ein zwei drei vier funf sechs sieben acht neun'.split(' ');
const GERMAN_TENS = 'zwanzig dreißig vierzig funfzig sechzig siebzig achtzig neunzig'.split(' ');

const SMALL = new Map([
  ...numbered(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen`),
  ...numbered(
    'zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn',
    2,
  ),
  ...numbered('deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize', 2),
  ...GERMAN_TENS.flatMap((tens, i) =>
    GERMAN_UNITS.map((unit, j): [string, number] => [`${unit}und${tens}`, (i + 2) * 10 + j + 1]),
  ),
]);
const TENS = new Map([
  ...numbered('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ...GERMAN_TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
  ['dreissig', 30] as const,
  ...numbered('vingt trente quarante cinquante soixante', 20, 10),
]);
const HUNDRED = new Set(['hundred', 'hundert', 'cent']);
const THOUSAND = new Set(['thousand', 'tausend', 'mille']);
const ARTICLES = new Set(['a', 'ein', 'une']);
const DOZENS = new Set(['dozen', 'dutzend', 'douzaine']);
const HALVES = new Set(['half', 'halbes', 'demi']);

/**
 * The value of a number word, such as 3 for `drei`. Excludes tens such as `twenty`, and `one`, which mostly replaces a
 * noun.
 */
export function numberOf(word: string): number | undefined {
  return word === 'one' ? undefined : SMALL.get(word);
}

export function parseNumberAt(tokens: Token[], at: number): ParsedNumber | undefined {
  const dozens = parseDozen(tokens, at);
  if (dozens) return { ...dozens, isSpelled: true };
  const digits = tokens[at]?.number;
  const count = digits === undefined ? parseBelowThousand(tokens, at) : { value: digits, to: at + 1 };
  const unit = count?.to ?? (ARTICLES.has(tokens[at]?.text ?? '') ? at + 1 : at);
  const word = tokens[unit]?.text ?? '';
  // `2 hundred` is a number, but `50 cent` is an amount.
  const isHundred = digits !== undefined && HUNDRED.has(word) && word !== 'cent';
  if (!isHundred && !THOUSAND.has(word)) return count && { ...count, isSpelled: digits === undefined };
  const rest = parseBelowThousand(tokens, afterAnd(tokens, unit + 1));
  const value = (count?.value ?? 1) * (isHundred ? 100 : 1000) + (rest?.value ?? 0);
  return { value, to: rest?.to ?? unit + 1, isSpelled: digits === undefined };
}

/** Parses dozens: `a dozen`, `half a dozen`, `two dozen`, `ein halbes Dutzend`. */
function parseDozen(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const text = (i: number) => tokens[i]?.text ?? '';
  let i = ARTICLES.has(text(at)) ? at + 1 : at;
  const isHalf = HALVES.has(text(i));
  if (isHalf) i += text(i + 1) === 'a' || text(i + 1) === '-' ? 2 : 1;
  if (DOZENS.has(text(i))) return { value: isHalf ? 6 : 12, to: i + 1 };
  const times = tokens[at]?.number ?? SMALL.get(text(at));
  return times && DOZENS.has(text(at + 1)) ? { value: times * 12, to: at + 2 } : undefined;
}

function parseBelowThousand(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const before = parseBelowHundred(tokens, at);
  const hundred = before ? before.to : ARTICLES.has(tokens[at]?.text ?? '') ? at + 1 : at;
  if (!HUNDRED.has(tokens[hundred]?.text ?? '')) return before;
  const rest = parseBelowHundred(tokens, afterAnd(tokens, hundred + 1));
  return { value: (before?.value ?? 1) * 100 + (rest?.value ?? 0), to: rest?.to ?? hundred + 1 };
}

function afterAnd(tokens: Token[], at: number): number {
  return ['and', 'und', 'et'].includes(tokens[at]?.text ?? '') ? at + 1 : at;
}

function parseBelowHundred(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const word = tokens[at]?.text ?? '';
  const small = SMALL.get(word);
  if (small !== undefined) return { value: small, to: at + 1 };
  const tens = TENS.get(word);
  if (tens === undefined) return undefined;
  const next = tokens[at + 1]?.text === '-' ? at + 2 : at + 1;
  const unit = SMALL.get(tokens[next]?.text ?? '') ?? 0;
  return unit > 0 && unit < 10 ? { value: tens + unit, to: next + 1 } : { value: tens, to: at + 1 };
}
