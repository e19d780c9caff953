/** How texts become words, alike for products and for queries: whatever is compared went through here. */

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** A text without HTML: tags and entities that stand for nothing readable become spaces. */
export function plainText(text: string): string {
  if (!text.includes('<') && !text.includes('&')) return text;
  return text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&(#?\w{1,8});/g, (_entity, name: string) => ENTITIES[name.toLowerCase()] ?? ' ');
}

const ASCII = /^[\t\n\r -~]*$/;

/** Lower case, without accents and compatibility forms: `Café` and `cafe`, `½` and `1⁄2` are one. */
export function fold(text: string): string {
  // Most texts have nothing else, and the rest takes many times as long.
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
}

// A number with its point or comma is one word; an apostrophe within a word is not its end.
const WORD = /\d+(?:[.,]\d+)+|[\p{L}\p{N}]+(?:['’‘`]\p{L}+)*/gu;
/** The same for texts of ASCII alone, for which it takes a third of the time. */
const ASCII_WORD = /\d+(?:[.,]\d+)+|[a-z\d]+(?:['`][a-z]+)*/g;
const APOSTROPHE = /['’‘`]/g;

/** What is compared of a text, in its order: its words, folded, without plural endings. */
export function termsOf(text: string): string[] {
  return wordsOf(text).map(termOf);
}

/** The words of a text, folded, by what is compared of them: of each term the first. */
export function wordsByTerm(text: string): Map<string, string> {
  return new Map(
    wordsOf(text)
      .map((word) => [termOf(word), word] as const)
      .reverse(),
  );
}

function wordsOf(text: string): string[] {
  const folded = fold(text);
  return folded.match(ASCII.test(folded) ? ASCII_WORD : WORD) ?? [];
}

function termOf(word: string): string {
  return stem(word.replaceAll(APOSTROPHE, ''));
}

/** Takes a plural ending off an English word. Words with digits, and short ones, stay as they are. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  // Of `hoodies` nobody can tell whether one is a `hoodie` or a `hoody`.
  if (word.endsWith('ie') && word.length > 4) return `${word.slice(0, -2)}y`;
  if (!word.endsWith('s')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:x|ch|sh|ss|z)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

/** Units, by the ways to write them: a number and its unit are one word, however they are written. */
// biome-ignore format: a table
const UNITS: Record<string, string> = {
  gb: 'gb', tb: 'tb', mb: 'mb', gigabyte: 'gb', terabyte: 'tb', megabyte: 'mb',
  mm: 'mm', cm: 'cm', m: 'm', ft: 'ft', foot: 'ft', feet: 'ft', in: 'in', inch: 'in', inche: 'in',
  w: 'w', watt: 'w', v: 'v', volt: 'v', mah: 'mah', ah: 'ah', hz: 'hz', mhz: 'mhz', ghz: 'ghz', mp: 'mp',
  oz: 'oz', ounce: 'oz', ml: 'ml', l: 'l', liter: 'l', litre: 'l', kg: 'kg', g: 'g', gram: 'g', lb: 'lb', pound: 'lb',
};

const NUMBER = /^\d+(?:[.,]\d+)*$/;

export function isNumber(term: string): boolean {
  return NUMBER.test(term);
}

/** `32` and `gb` as one term; nothing where they are no number with its unit. */
export function measure(number: string, unit: string | undefined): string | undefined {
  const short = unit === undefined ? undefined : UNITS[unit];
  return short !== undefined && isNumber(number) ? number + short : undefined;
}

/** The terms, and each number with its unit as one more. */
export function withMeasures(terms: string[]): string[] {
  return [...terms, ...terms.flatMap((term, i) => measure(term, terms[i + 1]) ?? [])];
}

/** Words that join others and name nothing themselves. */
const JOINING = new Set('a an and at by for from in of on or the to with'.split(' '));

export function isJoining(term: string): boolean {
  return JOINING.has(term);
}
