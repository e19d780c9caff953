const NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Regions that the runtime's table names and that are no countries: unions and what is unknown. */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'ZZ', 'QO', 'XA', 'XB'];

const CODES = new Map<string, string>();
for (const first of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
  for (const second of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
    const code = `${first}${second}`;
    const name = NAMES.of(code);
    // A code that is no longer in use stands for the one that took its place.
    const present = new Intl.Locale(`und-${code}`).region;
    if (!name || !present || NO_COUNTRIES.includes(present)) continue;
    CODES.set(code.toLowerCase(), present);
    CODES.set(name.toLowerCase(), present);
  }
}

/** The ISO 3166-1 code of a country given by its code, in either case, or by its English name; undefined for anything else. */
export function countryCode(text: string): string | undefined {
  return CODES.get(text.trim().toLowerCase());
}
