/**
 * Money is a decimal string in the API and numeric in the database, both with exactly the currency's decimals.
 * Calculations use minor units (cents, yen, fils) below 10^15, which are exact as numbers. This file converts between
 * both forms.
 */

import { ValidationError } from './errors.ts';

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** Whether a text is an ISO 4217 currency code in the runtime's table. Units of account (CLF, XDR) are not. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/**
 * The number of decimals of a currency in the runtime's table (Unicode CLDR): EUR 2, JPY 0, KWD 3. HUF has none, as in
 * shop prices, although ISO 4217 lists two.
 */
export function currencyDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Converts a decimal string to minor units. Throws if it has more decimals than the currency. */
export function minorUnits(amount: string, digits: number): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  if (/[1-9]/.test(fraction.slice(digits))) throw new Error(`${amount} has more than ${digits} decimals.`);
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Converts minor units to a decimal string: `1050` with two digits becomes `10.50`. */
export function decimal(minor: number, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const sign = minor < 0 ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * Normalizes an amount of a request to the decimals of the currency. Throws a ValidationError at `loc` if it has more.
 */
export function canonicalAmount(amount: string, digits: number, loc: (string | number)[]): string {
  const fraction = amount.split('.')[1] ?? '';
  // Extra zeros are accepted: 1000.00 is 1000 yen.
  if (/[1-9]/.test(fraction.slice(digits))) {
    const msg = digits === 0 ? 'This currency has no decimals.' : `This currency has at most ${digits} decimals.`;
    throw new ValidationError([{ loc, msg, type: 'decimal_max_places', ctx: { decimal_places: digits } }]);
  }
  return decimal(minorUnits(amount, digits), digits);
}
