/** Text normalization and stemming. Products and queries both use it, so that their terms can be compared. */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * Replaces HTML tags with spaces, and entities with their character, or with a space if the character is not known.
 * Descriptions are stored as plain text (see shop/plain-text.ts), so tags only occur in names and in data of older
 * releases. A parser would be too slow, because this function runs for each indexed or ranked text.
 */
export function stripHtml(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&(#?\w{1,8});/g, (_entity, name: string) => ENTITIES[name.toLowerCase()] ?? ' ');
}

const ASCII = /^[\t\n\r -~]*$/;

/** The French word for tea. Without its accent, `the` is an English article. */
export const FRENCH_TEA = /(?<![\p{L}\p{N}])th(?:é|e\u0301)(?![\p{L}\p{M}\p{N}])/giu;

/**
 * Converts to lower case, and removes accents and compatibility forms: `Café` becomes `cafe`, `½` becomes `1⁄2`, `thé`
 * becomes `tea`.
 */
export function normalizeText(text: string): string {
  // Most texts are ASCII; the other steps would take many times as long.
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .replaceAll(FRENCH_TEA, 'tea')
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

// A number includes its decimal point or comma; a word includes apostrophes inside it.
const WORD = /\d+(?:[.,]\d+)+|[\p{L}\p{N}]+(?:['’‘`]\p{L}+)*/gu;
/** The pattern for ASCII text, which takes a third of the time. */
const ASCII_WORD = /\d+(?:[.,]\d+)+|[a-z\d]+(?:['`][a-z]+)*/g;
const APOSTROPHE = /['’‘`]/g;
const HAS_APOSTROPHE = /['’‘`]/;

/** The terms of a text in order: its normalized words, without plural endings. */
export function termsOf(text: string): string[] {
  return wordsOf(text).map(termOf);
}

/** The normalized words of a text by term. If several words have one term, the first is used. */
export function wordsByTerm(text: string): Map<string, string> {
  return new Map(
    wordsOf(text)
      .map((word) => [termOf(word), word] as const)
      .reverse(),
  );
}

function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const normalized = normalizeText(text);
  return normalized.match(ASCII.test(normalized) ? ASCII_WORD : WORD) ?? [];
}

function termOf(word: string): string {
  return stem(HAS_APOSTROPHE.test(word) ? word.replaceAll(APOSTROPHE, '') : word);
}

/** Removes an English plural ending. Short words, and those with digits, are unchanged. */
export function stem(word: string): string {
  // Returns early, because most words have neither ending.
  if (!word.endsWith('s') && !word.endsWith('e')) return word;
  if (word.length < 4 || /\d/.test(word)) return word;
  // `hoodies` may be the plural of `hoodie` or `hoody`, so all three get the same stem.
  if (word.endsWith('ie') && word.length > 4) return `${word.slice(0, -2)}y`;
  if (!word.endsWith('s')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:x|ch|sh|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** The symbols of units by their spellings, so that `32 GB` and `32 gigabytes` become the same term. */
// biome-ignore format: a table
const UNITS: Record<string, string> = {
  gb: 'gb', tb: 'tb', mb: 'mb', gigabyte: 'gb', terabyte: 'tb', megabyte: 'mb',
  mm: 'mm', cm: 'cm', m: 'm', ft: 'ft', foot: 'ft', feet: 'ft', in: 'in', inch: 'in', inche: 'in',
  w: 'w', watt: 'w', v: 'v', volt: 'v', mah: 'mah', ah: 'ah', hz: 'hz', mhz: 'mhz', ghz: 'ghz', mp: 'mp',
  oz: 'oz', ounce: 'oz', ml: 'ml', l: 'l', liter: 'l', litre: 'l', kg: 'kg', g: 'g', gram: 'g', lb: 'lb', pound: 'lb',
};

const NUMBER = /^\d+(?:[.,]\d+)*$/;
const DIGIT_FIRST = /^\d/;

export function isNumber(term: string): boolean {
  return NUMBER.test(term);
}

/** The term for a number and its unit, `32gb` for `32` and `gb`; undefined if they are something else. */
export function measurementTerm(number: string, unit: string | undefined): string | undefined {
  const symbol = unit === undefined ? undefined : UNITS[unit];
  return symbol !== undefined && isNumber(number) ? number + symbol : undefined;
}

/** The terms, and an additional term for each number that is followed by its unit. */
export function withMeasurements(terms: string[]): string[] {
  const measurements = terms.map((term, i) =>
    DIGIT_FIRST.test(term) ? measurementTerm(term, terms[i + 1]) : undefined,
  );
  return [...terms, ...measurements.filter((term) => term !== undefined)];
}

const STOP_WORDS = new Set('a an and at by for from in of on or the to with'.split(' '));

export function isStopWord(term: string): boolean {
  return STOP_WORDS.has(term);
}
