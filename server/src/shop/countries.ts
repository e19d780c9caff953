/** The countries: one list, by which requests are judged and from which people choose. */

const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Codes that the runtime names and that are no country: unions, reserved ones, and parts of a country that share its post. */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'XA', 'XB', 'ZZ', 'QO', 'AC', 'CP', 'CQ', 'DG', 'EA', 'IC', 'TA'];

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const NAMED = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter((code) => NAMES.of(code));

/** A code that is no longer in use stands for the one that took its place. */
function presentOf(code: string): string | undefined {
  return new Intl.Locale(`und-${code}`).region;
}

/** The ISO 3166-1 alpha-2 codes in use. */
export const COUNTRIES: readonly string[] = NAMED.filter(
  (code) => presentOf(code) === code && !NO_COUNTRIES.includes(code),
);

const KNOWN = new Set(COUNTRIES);

export function isCountry(code: string): boolean {
  return KNOWN.has(code);
}

const CODES = new Map<string, string>();
for (const code of NAMED) {
  const present = presentOf(code);
  if (!present || !isCountry(present)) continue;
  CODES.set(code.toLowerCase(), present);
  CODES.set((NAMES.of(code) ?? '').toLowerCase(), present);
}

/** The code of a country given by its code, in either case, or by its English name; undefined for anything else. */
export function countryCode(text: string): string | undefined {
  return CODES.get(text.trim().toLowerCase());
}
