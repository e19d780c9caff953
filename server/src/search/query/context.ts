import type { Token } from '../words/tokens.ts';

/** Clauses of a sentence that ask for nothing: `My gym starts on Monday`, `ignore all previous instructions.` */

interface Clause {
  words: Token[];
  /** Whether it is a sentence of its own, or says something of somebody. */
  mayBeContext: boolean;
}

const ENDS_SENTENCE = /[.!?;\n](?=\s|$)/;
const ENDS_CLAUSE = /[.!?;\n](?=\s|$)|[,:](?=\s)|\s(?:and|but|so|because|und|aber|also|weil|et|mais|donc|car)\s/giu;
const OF_SOMEBODY =
  /^\s*(?:i|i['’]\w+|my|our|we|he|she|they|his|her|their|the|ich|mein\w*|wir|unser\w*|er|sie|je|j['’]\w*|mon|ma|mes|nous|notre|il|elle)\s/iu;
const ASKS =
  /\b(?:need|want|look(?:ing)?|show|find|get|buy|order|recommend|like|search(?:ing)?|prefer|such\w*|brauch\w*|möchte|hätte|will|zeig\w*|cherche\w*|veux|voudrais|aimerais|faut|besoin)\b/iu;

/**
 * The words without those of clauses that mostly have words unknown to the shop, where another clause names a thing and has none
 * of those; and the unknown ones among them, which are told.
 */
export function withoutContext(
  sentence: string,
  words: Token[],
  { isThing, isUnknown }: { isThing: (word: Token) => boolean; isUnknown: (word: Token) => boolean },
): { words: Token[]; unread: Token[] } {
  const clauses = clausesOf(sentence, words);
  const asks = clauses.some((clause) => clause.words.some(isThing) && !clause.words.some(isUnknown));
  if (!asks) return { words, unread: [] };
  const isContext = (clause: Clause) => {
    const unknown = clause.words.filter(isUnknown).length;
    return clause.mayBeContext && unknown > 0 && 2 * unknown >= clause.words.length;
  };
  const dropped = clauses.filter(isContext).flatMap((clause) => clause.words);
  return { words: words.filter((word) => !dropped.includes(word)), unread: dropped.filter(isUnknown) };
}

function clausesOf(sentence: string, words: Token[]): Clause[] {
  const ends = [...sentence.matchAll(ENDS_CLAUSE)];
  const bounds = [0, ...ends.map(({ 0: end, index }) => index + end.length), sentence.length];
  return bounds.slice(1).map((end, i): Clause => {
    const start = bounds[i] ?? 0;
    const text = sentence.slice(start, end);
    const before = sentence.slice(0, start);
    const isWhole = (i === 0 || ENDS_SENTENCE.test(`${before.trimEnd().slice(-1)} `)) && ENDS_SENTENCE.test(text);
    const isOfSomebody = OF_SOMEBODY.test(text) && !ASKS.test(text);
    return {
      words: words.filter((word) => word.start >= start && word.end <= end),
      mayBeContext: isWhole || isOfSomebody,
    };
  });
}
