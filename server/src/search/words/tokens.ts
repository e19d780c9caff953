import { fold, stem } from './normalize.ts';

/** A sentence in pieces that keep their place, so that it can be said which words made a constraint. */
export interface Token {
  kind: 'word' | 'sign';
  /** Folded, without apostrophes. */
  text: string;
  /** What is compared: without plural ending. */
  term: string;
  /** Of a number that nothing hangs on; `s8`, `18w` and `64gb` are words. */
  number?: number;
  /** In the sentence as it was given to `tokensOf`, in UTF-16 units. */
  start: number;
  end: number;
}

const MAX_SENTENCE = 1_000;
const PIECE =
  /\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\d])|\d+(?:[.,]\d+)?(?![\p{L}\d])|[\p{L}\p{N}]+(?:['’‘`][\p{L}\p{N}]+)*|us\$|[^\s\p{L}\p{N}]/giu;

/** The tokens of what a person wrote. Places are those of the original as long as folding keeps its length. */
export function tokensOf(sentence: string): Token[] {
  const folded = foldInPlace(sentence.slice(0, MAX_SENTENCE));
  return Array.from(folded.matchAll(PIECE), ({ 0: piece, index }) => {
    const text = piece.replaceAll(/['’‘`]/g, '');
    const number = /^\d/.test(piece) ? numberOf(piece) : undefined;
    const kind = /[\p{L}\p{N}]/u.test(piece) ? 'word' : 'sign';
    return {
      kind,
      text,
      term: stem(text),
      ...(number !== undefined && { number }),
      start: index,
      end: index + piece.length,
    };
  });
}

/** Folds character by character, keeping each where it is. */
function foldInPlace(text: string): string {
  return Array.from(text, (character) => {
    const folded = fold(character);
    return folded.length === character.length
      ? folded
      : character.length === 1 && folded
        ? folded.slice(0, 1)
        : character;
  }).join('');
}

/** `1,000` is a thousand, `4,5` four and a half. */
function numberOf(text: string): number | undefined {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return Number(text.replaceAll(',', ''));
  if (/^\d+(?:[.,]\d+)?$/.test(text)) return Number(text.replace(',', '.'));
  return undefined;
}

/** Whether these words stand at a place. */
export function matchPhrase(tokens: Token[], at: number, phrase: string[]): boolean {
  return at >= 0 && phrase.every((word, i) => tokens[at + i]?.text === word);
}
