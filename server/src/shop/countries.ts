/** The countries, for validation and for select lists. Built on first use, because reading their names takes 0.1 s. */

interface Countries {
  list: readonly string[];
  codes: ReadonlySet<string>;
  /** Country codes by lower-case code and by lower-case English name. */
  byText: ReadonlyMap<string, string>;
}

/**
 * Codes with a name in the runtime that are not countries: unions, reserved codes, and regions that share a country's
 * postal service.
 */
const NO_COUNTRIES = ['EU', 'EZ', 'UN', 'XA', 'XB', 'ZZ', 'QO', 'AC', 'CP', 'CQ', 'DG', 'EA', 'IC', 'TA'];

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

let made: Countries | undefined;

function known(): Countries {
  made ??= makeCountries();
  return made;
}

function makeCountries(): Countries {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const named = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter((code) => names.of(code));
  const list = named.filter((code) => presentOf(code) === code && !NO_COUNTRIES.includes(code));
  const codes = new Set(list);
  const byText = new Map<string, string>();
  for (const code of named) {
    const present = presentOf(code);
    if (!present || !codes.has(present)) continue;
    byText.set(code.toLowerCase(), present);
    byText.set((names.of(code) ?? '').toLowerCase(), present);
  }
  return { list, codes, byText };
}

/** Replaces an obsolete country code with its successor. */
function presentOf(code: string): string | undefined {
  return new Intl.Locale(`und-${code}`).region;
}

/** The ISO 3166-1 alpha-2 codes in use, and XK for Kosovo. */
export function countries(): readonly string[] {
  return known().list;
}

export function isCountry(code: string): boolean {
  return known().codes.has(code);
}

/** The country code for a code in any case or an English name; undefined for other text. */
export function countryCode(text: string): string | undefined {
  return known().byText.get(text.trim().toLowerCase());
}
