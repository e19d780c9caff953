/**
 * Parses amounts that people or programs have written, for the panel, the command line and imports. The API accepts
 * only canonical decimals ("1500.00").
 */

/** The decimal separator, and the currency's number of decimals. */
export interface AmountStyle {
  sign: '.' | ',';
  decimals: number;
}

/** A canonical amount, or the reason why the text is not accepted, as a sentence for users. */
export type AmountReading = { amount: string; problem?: never } | { amount?: never; problem: string };

/** The sentences about a text that is not an amount. */
export interface AmountWords {
  example: (amount: string) => string;
  /** `valid` has the readings that are possible amounts: one or both. */
  ambiguous: (text: string, larger: string, smaller: string, valid: string[]) => string;
}

const ENGLISH: AmountWords = {
  example: (amount) => `Enter an amount such as ${amount}.`,
  ambiguous: (text, larger, smaller, valid) => `${text} can mean ${larger} or ${smaller}: enter ${valid.join(' or ')}.`,
};

/** The amount format of a locale such as de-AT. Locales with other digits or separators use the point. */
export function amountStyle(locale: string, currency: string): AmountStyle {
  // Formats an amount of money, because fr-CH writes 1,5 but 1.50 CHF.
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: 2 });
  const isComma = format.formatToParts(1.5).some(({ type, value }) => type === 'decimal' && value === ',');
  return { sign: isComma ? ',' : '.', decimals: decimalsOf(currency) };
}

/** Number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Parses an unambiguous amount. The result has exactly the currency's decimals. */
export function readAmount(text: string, style: AmountStyle, words: AmountWords = ENGLISH): AmountReading {
  const { number, problem } = readNumber(withoutCurrency(text.normalize('NFKC').trim()), style, words);
  if (number === undefined || !fits(number, style.decimals)) {
    return { problem: problem ?? words.example(showAmount(style.decimals === 0 ? '12' : '12.5', style)) };
  }
  return { amount: showAmount(number, { ...style, sign: '.' }) };
}

/**
 * Parses an unambiguous number to plain decimals. "1.500" could be 1500 or 1.5. Neither locale nor currency decides
 * that, because users may work in shops of other countries. Such a text is accepted only if fields show amounts in
 * exactly this format, such as "1.500" dinars.
 */
export function readNumber(
  text: string,
  style: AmountStyle,
  words: AmountWords = ENGLISH,
): { number?: string | undefined; problem?: string } {
  const { point, comma } = readingsOf(text);
  const own = style.sign === '.' ? point : comma;
  if (point !== undefined && comma !== undefined && point !== comma) {
    if ((own?.split('.')[1]?.length ?? 0) === style.decimals) return { number: own as string };
    return { problem: ambiguity(text, [comma, point], style, words) };
  }
  return { number: point ?? comma };
}

function ambiguity(text: string, readings: [string, string], style: AmountStyle, words: AmountWords): string {
  const shown = (number: string) => showAmount(number, style);
  const [larger = '', smaller = ''] = readings.toSorted((one, other) => Number(other) - Number(one));
  const valid = [larger, smaller].filter((number) => fits(number, style.decimals));
  return words.ambiguous(text.trim(), shown(larger), shown(smaller), valid.map(shown));
}

/** Whether a number is within the contract's range and has at most the currency's decimals. */
function fits(number: string, decimals: number): boolean {
  const [whole = '', fraction = ''] = number.split('.');
  return whole.length <= 12 && fraction.replace(/0+$/, '').length <= decimals;
}

/** Formats a canonical number without grouping: 1500,00. */
export function showAmount(number: string, { sign, decimals }: AmountStyle): string {
  const [whole = '', fraction = ''] = number.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return kept === '' ? whole : `${whole}${sign}${kept}`;
}

const LONGEST = 40;
const CURRENCY_BEFORE = /^(?:\p{Sc}|[A-Z]{3})\s*(?=\d)/u;
const CURRENCY_AFTER = /(?<=\d)\s*(?:\p{Sc}|[A-Z]{3})$/u;

/** Removes the currency from an amount such as `€ 12.50` or `12.50 EUR`. */
export function withoutCurrency(text: string): string {
  return text.replace(CURRENCY_BEFORE, '').replace(CURRENCY_AFTER, '');
}

// Groups of three digits, separated by the same character, after a first group of 1 to 999. The other separator starts
// the decimals.
const WITH_POINT = /^(?:\d+|[1-9]\d{0,2}(?:([, '’])\d{3})(?:\1\d{3})*)(?:\.(\d*))?$/;
const WITH_COMMA = /^(?:\d+|[1-9]\d{0,2}(?:([. '’])\d{3})(?:\1\d{3})*)(?:,(\d*))?$/;

/**
 * Parses an amount in a file to canonical form. Programs write a decimal point; a comma is accepted if it is
 * unambiguous.
 */
export function readMoney(cell: string, decimals: number): AmountReading {
  const { number, problem } = readNumber(cell, { sign: '.', decimals });
  // The server checks the number of decimals, because a file may contain several currencies.
  if (number !== undefined && fits(number, 3)) return { amount: withoutSurplusZeros(number) };
  return { problem: problem ?? `${JSON.stringify(cell.slice(0, 60))} is not an amount such as 1299.00.` };
}

/** Removes trailing zeros from a number with four or more decimals, because Magento writes 52.500000. */
function withoutSurplusZeros(number: string): string {
  return /\.\d{4}/.test(number) ? number.replace(/\.?0+$/, '') : number;
}

/** Returns the decimal numbers that a text can stand for, read with a decimal point and with a decimal comma. */
export function readingsOf(text: string): { point?: string; comma?: string } {
  if (text.length > LONGEST) return {};
  // Converts full-width digits, and the no-break and narrow spaces that programs use for grouping.
  const typed = text.normalize('NFKC').trim();
  const point = plain(typed, WITH_POINT, '.');
  const comma = plain(typed, WITH_COMMA, ',');
  return { ...(point !== undefined && { point }), ...(comma !== undefined && { comma }) };
}

function plain(typed: string, pattern: RegExp, sign: string): string | undefined {
  const found = pattern.exec(typed);
  if (!found) return undefined;
  const [whole = ''] = typed.split(sign);
  const fraction = found[2] ?? '';
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  return fraction === '' ? digits : `${digits}.${fraction}`;
}
