/**
 * Reads amounts that people and programs write. The panel, the command line and the imports share this only parser of typed
 * amounts. The API takes canonical decimals ("1500.00") only.
 */

/** The amount format of the input: the decimal separator, and the number of decimals of the currency. */
export interface AmountStyle {
  sign: '.' | ',';
  decimals: number;
}

/** A canonical amount, or the problem with the text, for people. */
export type AmountReading = { amount: string; problem?: never } | { amount?: never; problem: string };

/**
 * The format of a locale such as de-AT. A locale with other digits or separators than point and comma counts as one with a
 * point.
 */
export function amountStyle(locale: string, currency: string): AmountStyle {
  // fr-CH writes 1,5 but 1.50 CHF.
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: 2 });
  const isComma = format.formatToParts(1.5).some(({ type, value }) => type === 'decimal' && value === ',');
  return { sign: isComma ? ',' : '.', decimals: decimalsOf(currency) };
}

/** The number of decimals of a currency: 2 in EUR, 0 in JPY, 3 in KWD. */
export function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount with exactly the currency's decimals, if the text has one reading. */
export function readAmount(text: string, style: AmountStyle): AmountReading {
  const { number, problem } = readNumber(withoutCurrency(text.normalize('NFKC').trim()), style);
  if (number === undefined || !fits(number, style.decimals)) {
    return {
      problem: problem ?? `Enter an amount such as ${showAmount(style.decimals === 0 ? '12' : '12.5', style)}.`,
    };
  }
  return { amount: showAmount(number, { ...style, sign: '.' }) };
}

/**
 * The number in plain decimals, if the text has one reading. "1.500" has two, 1500 and 1.5, and neither the locale nor the
 * currency decides, because people work in shops of other languages. The exception is a text in exactly the format that fields
 * show, such as "1.500" dinars.
 */
export function readNumber(text: string, style: AmountStyle): { number?: string | undefined; problem?: string } {
  const { point, comma } = readingsOf(text);
  const own = style.sign === '.' ? point : comma;
  if (point !== undefined && comma !== undefined && point !== comma) {
    if ((own?.split('.')[1]?.length ?? 0) === style.decimals) return { number: own as string };
    return { problem: ambiguity(text, [comma, point], style) };
  }
  return { number: point ?? comma };
}

function ambiguity(text: string, readings: string[], style: AmountStyle): string {
  const largestFirst = readings.toSorted((one, other) => Number(other) - Number(one));
  const shown = (numbers: string[]) => numbers.map((number) => showAmount(number, style)).join(' or ');
  const valid = largestFirst.filter((number) => fits(number, style.decimals));
  return `${text.trim()} can mean ${shown(largestFirst)}: enter ${shown(valid)}.`;
}

/** Whether a plain number is within the contract's bounds, and its decimals within the currency's. */
function fits(number: string, decimals: number): boolean {
  const [whole = '', fraction = ''] = number.split('.');
  return whole.length <= 12 && fraction.replace(/0+$/, '').length <= decimals;
}

/** A canonical number in the given format, without grouping, so that it has one reading: 1500,00. */
export function showAmount(number: string, { sign, decimals }: AmountStyle): string {
  const [whole = '', fraction = ''] = number.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return kept === '' ? whole : `${whole}${sign}${kept}`;
}

const LONGEST = 40;
const CURRENCY_BEFORE = /^(?:\p{Sc}|[A-Z]{3})\s*(?=\d)/u;
const CURRENCY_AFTER = /(?<=\d)\s*(?:\p{Sc}|[A-Z]{3})$/u;

/** The number of an amount such as `€ 12.50` or `12.50 EUR`. */
export function withoutCurrency(text: string): string {
  return text.replace(CURRENCY_BEFORE, '').replace(CURRENCY_AFTER, '');
}

// Matches groups of three after a leading 1 to 999, separated by one character; decimals come after the other.
const WITH_POINT = /^(?:\d+|[1-9]\d{0,2}(?:([, '’])\d{3})(?:\1\d{3})*)(?:\.(\d*))?$/;
const WITH_COMMA = /^(?:\d+|[1-9]\d{0,2}(?:([. '’])\d{3})(?:\1\d{3})*)(?:,(\d*))?$/;

/** An amount in a file, as canonical money. Programs write a point; a comma is accepted if it has one reading. */
export function readMoney(cell: string, decimals: number): AmountReading {
  const { number, problem } = readNumber(cell, { sign: '.', decimals });
  // The server checks the decimals: one file may have amounts of several currencies.
  if (number !== undefined && fits(number, 3)) return { amount: withoutSurplusZeros(number) };
  return { problem: problem ?? `${JSON.stringify(cell.slice(0, 60))} is not an amount such as 1299.00.` };
}

/** Zeros at the end are left out, because Magento writes 52.500000. */
function withoutSurplusZeros(number: string): string {
  return /\.\d{4}/.test(number) ? number.replace(/\.?0+$/, '') : number;
}

/** The readings of a text with a decimal point and with a decimal comma, in plain decimals. */
export function readingsOf(text: string): { point?: string; comma?: string } {
  if (text.length > LONGEST) return {};
  // Replaces full-width digits, and the no-break and narrow spaces with which programs group.
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
