/**
 * Invisible characters, and characters that reverse text, can make one name look like another. The API rejects requests
 * with them, imports remove them, and pages and mails remove them from older texts.
 */

import type { ValidationErrorItem } from '@commerce-backend/spec';

/** Fields that may contain line breaks and tabs. */
export const FIELDS_OF_LINES = [
  'description',
  'description_html',
  'seo_description',
  'legal_texts',
  'instructions',
  'note',
  'staff_note',
  'customer_note',
  'return_address',
  'reason',
  'query',
  'metadata',
];

/**
 * Control characters, zero-width space, word joiner, byte order mark, and embeddings, overrides and isolates of text
 * direction.
 */
const HIDDEN = '\\p{Cc}\\u200b\\u2060\\ufeff\\u202a-\\u202e\\u2066-\\u2069';
/** A joiner has a visible effect between these characters: it shapes letters of many scripts and combines emoji. */
const BEFORE = '[\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]';
const AFTER = '[\\p{L}\\p{M}\\p{Extended_Pictographic}]';
const LONE_JOINER = `(?<!${BEFORE})[\\u200c\\u200d]|[\\u200c\\u200d](?!${AFTER})`;

const IN_LINE = new RegExp(`[${HIDDEN}]|${LONE_JOINER}`, 'gu');
const IN_LINES = new RegExp(`(?!\\t|\\n|\\r\\n)[${HIDDEN}]|${LONE_JOINER}`, 'gu');

/**
 * Returns the first hidden character, as in `U+202E`; undefined if there is none. `lines` allows line breaks and tabs.
 */
export function hiddenCharacterIn(text: string, { lines }: { lines: boolean }): string | undefined {
  const pattern = lines ? IN_LINES : IN_LINE;
  const at = text.search(pattern);
  return at < 0 ? undefined : `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Most texts consist of Latin letters and punctuation, so they cannot contain hidden characters. */
const PLAIN = /^[ -~\u00a0-\u02ff]*$/;

/**
 * Whether a value contains hidden characters, outside of fields for passwords and tokens. Faster than `mapTexts`,
 * because it needs no paths.
 */
export function holdsHidden(value: unknown, lines = false): boolean {
  if (typeof value === 'string') return !PLAIN.test(value) && hiddenCharacterIn(value, { lines }) !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => holdsHidden(one, lines));
  return Object.entries(value).some(
    ([name, one]) => !/password|token/.test(name) && holdsHidden(one, lines || FIELDS_OF_LINES.includes(name)),
  );
}

export function withoutHidden(text: string, { lines }: { lines: boolean }): string {
  return text.replaceAll(lines ? IN_LINES : IN_LINE, '');
}

type Place = (string | number)[];

/**
 * Replaces each text in a value by the result of `visit`, which gets the text, its path, and whether line breaks are
 * allowed in it. Skips passwords and tokens.
 */
export function mapTexts(
  value: unknown,
  visit: (text: string, place: Place, lines: boolean) => string,
  place: Place = [],
  lines = false,
): unknown {
  if (typeof value === 'string') return visit(value, place, lines);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one, i) => mapTexts(one, visit, [...place, i], lines));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const kept = /password|token/.test(name);
      const ofLines = lines || FIELDS_OF_LINES.includes(name);
      return [name, kept ? one : mapTexts(one, visit, [...place, name.slice(0, 100)], ofLines)];
    }),
  );
}

const MAX_WARNINGS = 50;

/**
 * Removes hidden characters from a row of an import, with a warning for each changed text, at most 50. The field `kept`
 * stays as sent.
 */
export function cleanRow(
  row: unknown,
  loc: Place,
  kept?: string,
): { cleaned: unknown; warnings: ValidationErrorItem[] } {
  const warnings: ValidationErrorItem[] = [];
  // Most rows contain no hidden characters, so they need neither a copy nor paths.
  if (!holdsHidden(row)) return { cleaned: row, warnings };
  const cleaned = mapTexts(row, (text, place, lines) => {
    const code_point = place.at(-1) === kept ? undefined : hiddenCharacterIn(text, { lines });
    if (!code_point) return text;
    const msg = `Removed ${code_point}, a control or invisible character.`;
    if (warnings.length < MAX_WARNINGS) {
      warnings.push({ loc: [...loc, ...place], msg, type: 'hidden_character', ctx: { code_point } });
    }
    return withoutHidden(text, { lines });
  });
  return { cleaned, warnings };
}
