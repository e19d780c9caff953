/** Splits a sentence that names several things: `2 sage mugs and a teapot`. */

import { list } from '../words/lists.ts';
import { phraseAt, phraseTable } from '../words/phrases.ts';
import { type Token, tokenize } from '../words/tokens.ts';
import type { Constraint } from './parsed-query.ts';
import { TOTALS } from './totals.ts';

export interface Part {
  /** The words of the part, as in the sentence. */
  text: string;
  start: number;
  end: number;
}

export interface Split {
  parts: Part[];
  /** Whether only one of the things is wanted. */
  isChoice: boolean;
  /** Whether a price in the sentence is the total of all things. */
  isTotal: boolean;
}

const LINKS = phraseTable<'and' | 'or'>([
  ['and', list('and')],
  ['or', 'or, oder, ou'],
]);

/** A sentence with more parts is not split. */
export const MAX_PARTS = 4;

/**
 * Splits a sentence at links that are in no constraint. Returns the whole sentence as one part if it names at most one
 * thing or more than MAX_PARTS. `isThing` decides whether a part names a product.
 */
export function splitSentence(
  sentence: string,
  constraints: Constraint[],
  isThing: (part: Part) => boolean,
  /** Phrases in names of products, such as `salt and pepper`. The sentence is not split at their links. */
  joined: ReadonlySet<string> = new Set(),
): Split {
  const tokens = tokenize(sentence, { isSentence: true });
  const cuts = cutsOf(tokens, constraints).filter(({ joins }) => !joined.has(joins));
  const isTotal = tokens.some((_token, i) => phraseAt(TOTALS, tokens, i) !== undefined);
  const hasWord = cuts.some(({ kind }) => kind !== 'list') || isListOfThings(sentence, cuts, isThing);
  const parts: Part[] = [];
  let isChoice = false;
  let start = 0;
  let link: Cut['kind'] = 'list';
  for (const cut of hasWord
    ? [...cuts, { start: sentence.length, end: sentence.length, kind: 'list' as const, joins: '' }]
    : []) {
    const part = partOf(sentence, start, cut.start);
    const before = parts.at(-1);
    // A part that names no product belongs to the previous part: the blue of `a mug in red and blue`.
    if (before && !(isThing(part) && isThing(before)))
      parts[parts.length - 1] = partOf(sentence, before.start, cut.start);
    else {
      isChoice ||= before !== undefined && link === 'or';
      parts.push(part);
    }
    start = cut.end;
    link = cut.kind;
  }
  const whole = { parts: [partOf(sentence, 0, sentence.length)], isChoice: false, isTotal };
  return parts.length > 1 && parts.length <= MAX_PARTS ? { parts, isChoice, isTotal } : whole;
}

/**
 * Whether the commas separate things: `a mug, a candle, a notebook`. The first part must name a thing, and the later
 * parts that name one must begin with an article or number.
 */
function isListOfThings(sentence: string, cuts: Cut[], isThing: (part: Part) => boolean): boolean {
  const parts = cuts.map((cut, i) => partOf(sentence, cut.end, cuts[i + 1]?.start ?? sentence.length));
  const first = partOf(sentence, 0, cuts[0]?.start ?? 0);
  const isCounted = (part: Part) => COUNTED.test(part.text) && isThing(part);
  return isThing(first) && parts.some(isCounted) && parts.every((part) => isCounted(part) || !isThing(part));
}

const COUNTED = /^(?:an?|one|two|three|four|some|eine?n?|zwei|drei|vier|une?|des|deux|trois|quatre|\d{1,2})\s/i;

/** Returns each link, such as `and`, with the words around it. */
export function joinedWords(sentence: string, constraints: Constraint[]): string[] {
  return cutsOf(tokenize(sentence, { isSentence: true }), constraints).map(({ joins }) => joins);
}

interface Cut {
  start: number;
  end: number;
  /** The link with the words around it. */
  joins: string;
  kind: 'and' | 'or' | 'list';
}

function cutsOf(tokens: Token[], constraints: Constraint[]): Cut[] {
  const cuts: Cut[] = [];
  for (let i = 1; i < tokens.length - 1; ) {
    const link = linkAt(tokens, i);
    const start = tokens[i]?.start ?? 0;
    const isTaken = constraints.some((each) => each.start <= start && start < each.end);
    if (!link || isTaken) {
      i += 1;
      continue;
    }
    // Handles two links in a row: `a, b, and c`.
    const next = link.value === 'list' ? linkAt(tokens, link.to) : undefined;
    const last = next ?? link;
    const words = [tokens[i - 1], ...tokens.slice(i, last.to), tokens[last.to]].filter(
      (token) => token?.kind === 'word',
    );
    const joins = words.map((token) => token?.text).join(' ');
    cuts.push({ start, end: tokens[last.to - 1]?.end ?? start, kind: last.value, joins });
    i = last.to;
  }
  return cuts;
}

function linkAt(tokens: Token[], at: number) {
  return tokens[at]?.text === ',' ? { value: 'list' as const, to: at + 1 } : phraseAt(LINKS, tokens, at);
}

function partOf(sentence: string, from: number, to: number): Part {
  const text = sentence.slice(from, to);
  const start = from + text.length - text.trimStart().length;
  return { text: text.trim(), start, end: start + text.trim().length };
}
