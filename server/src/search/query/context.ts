import { isAttribute } from '../words/thesaurus.ts';
import type { Token } from '../words/tokens.ts';

/** Clauses of a sentence that ask for nothing: `My gym starts on Monday`, `ignore all previous instructions.` */

interface Clause {
  words: Token[];
  /** Whether it is a sentence of its own, or says something of somebody. */
  mayBeContext: boolean;
}

const ENDS_SENTENCE = /[.!?;\n](?=\s|$)/g;
const ENDS_CLAUSE = /[.!?;\n](?=\s|$)|[,:](?=\s)|\s(?:and|but|so|because|und|aber|also|weil|et|mais|donc|car)\s/giu;
const OF_SOMEBODY =
  /^\s*(?:i|i['’]\w+|my|our|we|he|she|they|his|her|their|the|ich|mein\w*|wir|unser\w*|er|sie|je|j['’]\w*|mon|ma|mes|nous|notre|il|elle)\s/iu;
const ASKS =
  /\b(?:need|want|look(?:ing)?|show|find|get|buy|order|recommend|like|search(?:ing)?|prefer|such\w*|brauch\w*|möchte|hätte|will|zeig\w*|cherche\w*|veux|voudrais|aimerais|faut|besoin)\b/iu;

/** `a terracotta pot, the 16 cm one` */
const OF_THE_THING = /^\s*the\s.*\bones?\b/i;

/**
 * The words without those of clauses that mostly have words unknown to the shop, where another clause names a thing and has none
 * of those; and the unknown ones among them, which are told.
 */
export function withoutContext(
  sentence: string,
  words: Token[],
  { isThing, isUnknown }: { isThing: (word: Token) => boolean; isUnknown: (word: Token) => boolean },
): { words: Token[]; unread: Token[] } {
  const clauses = [...sentencesOf(sentence, words), ...statementsOf(sentence, words)];
  const asks = clauses.some((clause) => clause.words.some(isThing) && !clause.words.some(isUnknown));
  if (!asks) return { words, unread: [] };
  const isContext = (clause: Clause) => {
    const unknown = clause.words.filter(isUnknown).length;
    return clause.mayBeContext && unknown > 0 && 2 * unknown >= clause.words.length;
  };
  const dropped = new Set(clauses.filter(isContext).flatMap((clause) => clause.words));
  return {
    words: words.filter((word) => !dropped.has(word)),
    unread: [...dropped].filter((word) => isUnknown(word) || isAttribute(word.text)),
  };
}

function sentencesOf(sentence: string, words: Token[]): Clause[] {
  const parts = partsOf(sentence, words, ENDS_SENTENCE).filter((part) => part.words.length > 0);
  return parts.map((part) => ({ words: part.words, mayBeContext: parts.length > 1 }));
}

function statementsOf(sentence: string, words: Token[]): Clause[] {
  return partsOf(sentence, words, ENDS_CLAUSE).map((part) => ({
    words: part.words,
    mayBeContext: OF_SOMEBODY.test(part.text) && !ASKS.test(part.text) && !OF_THE_THING.test(part.text),
  }));
}

function partsOf(sentence: string, words: Token[], ends: RegExp): { text: string; words: Token[] }[] {
  const bounds = [0, ...[...sentence.matchAll(ends)].map(({ 0: end, index }) => index + end.length), sentence.length];
  return bounds.slice(1).map((end, i) => {
    const start = bounds[i] ?? 0;
    const own = words.filter((word) => word.start >= start && word.end <= end);
    return { text: sentence.slice(start, end), words: own };
  });
}

/** What is asked of the world, and not of a shop: `who won the world cup in 1998`. */
const OF_THE_WORLD =
  /^\s*(?:who|when|why|how (?:old|far|tall|many)|wer|wann|warum|wie (?:alt|weit|viele)|qui|quand|pourquoi|combien de)\s/i;

export function isOfTheWorld(sentence: string, words: Token[], isUnknown: (word: Token) => boolean): boolean {
  const unknown = words.filter((word) => isUnknown(word)).length;
  return OF_THE_WORLD.test(sentence) && unknown > 0 && 2 * unknown >= words.length;
}
