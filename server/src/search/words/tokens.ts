import { normalizeText, stem } from './normalize.ts';

/** A word or sign of a sentence with its position, so that an answer can quote the words that stated a constraint. */
export interface Token {
  kind: 'word' | 'sign';
  /** Normalized, without apostrophes. */
  text: string;
  /** The stem, which is what is compared. */
  term: string;
  /** The value of a number that stands alone; `s8`, `18w` and `64gb` are words. */
  number?: number;
  /** The position in the sentence given to `tokenize`, in UTF-16 units, end exclusive. */
  start: number;
  end: number;
}

const MAX_SENTENCE = 1_000;
const PIECE =
  /\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\d])|\d+(?:[.,]\d+)?(?![\p{L}\d])|[\p{L}\p{N}]+(?:['’‘`][\p{L}\p{N}]+)*|us\$|[^\s\p{L}\p{N}]/giu;

/** The tokens of a sentence, with positions in the original text. */
export function tokenize(sentence: string): Token[] {
  const normalized = normalizeKeepingOffsets(sentence.slice(0, MAX_SENTENCE));
  return Array.from(normalized.matchAll(PIECE), ({ 0: piece, index }) => {
    const text = piece.replaceAll(/['’‘`]/g, '');
    const number = /^\d/.test(piece) ? parseDigits(piece) : undefined;
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

/** Normalizes character by character and keeps the length of each. */
function normalizeKeepingOffsets(text: string): string {
  return Array.from(text, (character) => {
    const normalized = normalizeText(character);
    return normalized.length === character.length
      ? normalized
      : character.length === 1 && normalized
        ? normalized.slice(0, 1)
        : character;
  }).join('');
}

/** `1,000` is a thousand, `4,5` four and a half. */
function parseDigits(text: string): number | undefined {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return Number(text.replaceAll(',', ''));
  if (/^\d+(?:[.,]\d+)?$/.test(text)) return Number(text.replace(',', '.'));
  return undefined;
}

/** Whether the tokens from this index on are the words of a phrase. */
export function matchesPhrase(tokens: Token[], at: number, phrase: string[]): boolean {
  return at >= 0 && phrase.every((word, i) => tokens[at + i]?.text === word);
}
