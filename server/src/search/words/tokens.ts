import { FRENCH_TEA, normalizeText, stem } from './normalize.ts';

/** A word or sign of a sentence with its position, so that a response can quote the words that state a constraint. */
export interface Token {
  kind: 'word' | 'sign';
  /** Normalized, without apostrophes. */
  text: string;
  /** The stem, with which words are compared. */
  term: string;
  /** The value of a separate number; `s8`, `18w` and `64gb` are words. */
  number?: number;
  /** The position in the text given to `tokenize`, in UTF-16 units, end exclusive. */
  start: number;
  end: number;
}

const MAX_SENTENCE = 1_000;
const PIECE = new RegExp(
  [
    String.raw`us\$`,
    // 1,000.50 and 1.000,50; also 1'000.50, and 1 000,50 before a currency
    String.raw`[1-9]\d{0,2}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\p{L}\d])`,
    String.raw`[1-9]\d{0,2}(?:['’]\d{3})+(?:[.,]\d{1,2})?(?![\p{L}\d])`,
    String.raw`[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d{1,2})?(?= ?(?:[€$£]|(?:eur|euros?|usd|chf|gbp|dollars?)(?!\p{L})))`,
    // As in `20,-` and `20.-`.
    String.raw`\d+[.,][-–—]{1,2}(?! ?\d)`,
    // As in `5k` and `1.5k`. Comes before the pattern for plain numbers.
    String.raw`\d+(?:[.,]\d+)?k(?![\p{L}\d])`,
    String.raw`\d+(?:[.,]\d+)?(?![\p{L}\d])`,
    // Splits `20eur` into two pieces.
    String.raw`\d+(?:[.,]\d+)?(?=(?:eur|euros?|usd|chf|gbp|dollars?)(?!\p{L}))`,
    String.raw`[\p{L}\p{N}]+(?:['’‘\u0060][\p{L}\p{N}]+)*`,
    String.raw`[^\s\p{L}\p{N}]`,
  ].join('|'),
  'giu',
);

/** A preposition and a number written as one word: `under40`. In a search field this may be a name. */
const GLUED = /(?<![\p{L}\p{N}])(?:under|below|over|above|unter|uber|sous)(?=\d+(?:[.,]\d+)?(?!\p{L}))/u;
/** A number and its unit, which become two tokens: `20cm`. */
const MEASURED = /\d+(?:[.,]\d+)?(?=(?:mm|cm|m|ml|l|g|kg)(?![\p{L}\d]))/u;
const PIECE_OF_SENTENCE = new RegExp(`${GLUED.source}|${MEASURED.source}|${PIECE.source}`, 'giu');

/** French words that lose their vowel before another: `l'écharpe`, `d'hiver`, `jusqu'à`. */
const ELISION = /(?<![\p{L}\p{N}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’‘`](?=\p{L}{2}|[aày](?!\p{L}))/giu;

/** The tokens of a text, with positions in the original. In a sentence, an elided word becomes a separate token. */
export function tokenize(text: string, { isSentence = false } = {}): Token[] {
  const written = text.slice(0, MAX_SENTENCE).replaceAll(FRENCH_TEA, (tea) => 'tea'.padEnd(tea.length));
  const whole = normalizeKeepingOffsets(written);
  const normalized = isSentence ? whole.replaceAll(ELISION, (elided) => `${elided.slice(0, -1)} `) : whole;
  return Array.from(normalized.matchAll(isSentence ? PIECE_OF_SENTENCE : PIECE), ({ 0: piece, index }) => {
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

/** Normalizes each character separately, so that all positions stay the same. */
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

/** Parses digits: `1,000` and `1.000` are a thousand, `4,5` and `4.5` are four and a half. */
function parseDigits(piece: string): number | undefined {
  const text = piece.replaceAll(/[ '’]|[.,][-–—]+$/g, '');
  if (/^[1-9]\d{0,2}(?:[.,]\d{3})+(?:[.,]\d{1,2})?$/.test(text)) {
    const cents = /[.,]\d{1,2}$/.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - cents.length).replaceAll(/[.,]/g, '');
    return Number(whole + cents.replace(',', '.'));
  }
  return /^\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : undefined;
}
