import type { Token } from './tokens.ts';

/** Numbers in digits or words: `20`, `twenty`, `two hundred and fifty`, `fünfundzwanzig`, `vingt-cinq`, `half a dozen`. */

export interface ParsedNumber {
  value: number;
  /** The index of the token after it. */
  to: number;
  /** Whether it is written in words. Those are part of a name more often, so callers ask for further evidence. */
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
    'zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn',
    2,
  ),
  ...numbered('achtzehn neunzehn', 18),
  ...numbered('deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize', 2),
  ...GERMAN_TENS.flatMap((tens, i) =>
    GERMAN_UNITS.map((unit, j): [string, number] => [`${unit}und${tens}`, (i + 2) * 10 + j + 1]),
  ),
]);
/** The number that a word says, such as 3 for `drei`; not `one`, which mostly stands for a thing. */
export function numberOf(word: string): number | undefined {
  return word === 'one' ? undefined : SMALL.get(word);
}

const TENS = new Map([
  ...numbered('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ...GERMAN_TENS.map((word, i): [string, number] => [word, (i + 2) * 10]),
  ['dreissig', 30] as const,
  ...numbered('vingt trente quarante cinquante soixante', 20, 10),
]);
const HUNDRED = new Set(['hundred', 'hundert', 'cent']);
const THOUSAND = new Set(['thousand', 'grand', 'tausend', 'mille']);
const ARTICLES = new Set(['a', 'ein', 'une']);
const DOZENS = new Set(['dozen', 'dutzend', 'douzaine']);
const HALVES = new Set(['half', 'halbes', 'demi']);

export function parseNumberAt(tokens: Token[], at: number): ParsedNumber | undefined {
  const value = tokens[at]?.number;
  const dozens = parseDozen(tokens, at);
  if (dozens) return { ...dozens, isSpelled: true };
  if (value !== undefined) return inHundreds(tokens, { value, to: at + 1, isSpelled: false });
  const hundreds = parseBelowThousand(tokens, at);
  const thousand = hundreds?.to ?? (ARTICLES.has(tokens[at]?.text ?? '') ? at + 1 : at);
  // By itself it is no number: `un grand sac`.
  const isBare = thousand === at && tokens[at]?.text === 'grand';
  if (isBare || !THOUSAND.has(tokens[thousand]?.text ?? '')) return hundreds && { ...hundreds, isSpelled: true };
  const rest = parseBelowThousand(tokens, afterAnd(tokens, thousand + 1));
  const total = (hundreds?.value ?? 1) * 1000 + (rest?.value ?? 0);
  return { value: total, to: rest?.to ?? thousand + 1, isSpelled: true };
}

/** `2 hundred`, `1.5 thousand`; but `50 cent` are cents. */
function inHundreds(tokens: Token[], number: ParsedNumber): ParsedNumber {
  const next = tokens[number.to]?.text ?? '';
  // `40 grand maximum` is French.
  const isMaximum = next === 'grand' && (tokens[number.to + 1]?.text ?? '').startsWith('max');
  const times = isMaximum ? 1 : THOUSAND.has(next) ? 1_000 : HUNDRED.has(next) && next !== 'cent' ? 100 : 1;
  return times === 1 ? number : { ...number, value: number.value * times, to: number.to + 1 };
}

/** `a dozen`, `half a dozen`, `two dozen`, `ein halbes Dutzend`. */
function parseDozen(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const text = (i: number) => tokens[i]?.text ?? '';
  let i = ARTICLES.has(text(at)) ? at + 1 : at;
  const isHalf = HALVES.has(text(i));
  if (isHalf) i += text(i + 1) === 'a' || text(i + 1) === '-' ? 2 : 1;
  if (DOZENS.has(text(i))) return { value: isHalf ? 6 : 12, to: i + 1 };
  const times = tokens[at]?.number ?? SMALL.get(text(at));
  return times && DOZENS.has(text(at + 1)) ? { value: times * 12, to: at + 2 } : undefined;
}

/** `hundertzwanzig`, `zweihundertfünfzig`, `tausendzweihundert`: a number that German writes as one word. */
function parseGermanWord(word: string): number | undefined {
  const [, thousands, afterThousands] = /^(\p{L}*?)tausend(?:und)?(\p{L}*)$/u.exec(word) ?? [];
  if (thousands !== undefined && afterThousands !== undefined && word !== 'tausend')
    return joined(thousands, 1000, afterThousands);
  const [, hundreds, rest] = /^(\p{L}*?)hundert(?:und)?(\p{L}*)$/u.exec(word) ?? [];
  if (hundreds === undefined || rest === undefined || word === 'hundert') return undefined;
  return joined(hundreds, 100, rest);
}

function joined(times: string, unit: number, rest: string): number | undefined {
  const [count, more] = [times === '' || times === 'ein' ? 1 : wordValue(times), rest === '' ? 0 : wordValue(rest)];
  return count === undefined || more === undefined ? undefined : count * unit + more;
}

function wordValue(word: string): number | undefined {
  return word === 'ein' || word === 'eins' ? 1 : (SMALL.get(word) ?? TENS.get(word) ?? parseGermanWord(word));
}

function parseBelowThousand(tokens: Token[], at: number): { value: number; to: number } | undefined {
  const word = parseGermanWord(tokens[at]?.text ?? '');
  if (word !== undefined) return { value: word, to: at + 1 };
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
