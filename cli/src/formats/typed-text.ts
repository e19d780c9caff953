/** Normalizes typed or pasted texts for the panel and the command line. The API accepts only the canonical form. */

import type { AmountReading } from './amounts.ts';

/** Normalizes an IBAN or BIC, which may be typed in groups: `de89 3704-0044 …`. */
export function bankCode(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
}

/** Normalizes a URL. Spaces, as in file names, are encoded. */
export function webAddress(text: string): string {
  return text.trim().replaceAll(/\s/g, '%20');
}

/** Normalizes a web origin: lower case, no trailing slash. */
export function webOrigin(text: string): string {
  return text.trim().replace(/\/+$/, '').toLowerCase();
}

/**
 * Converts a percentage such as `19`, `19 %` or `7,7` to a rate such as "0.19". A number above 0 and up to 1 without a
 * percent sign is rejected, because it could be a rate or a percentage.
 */
export function readRate(text: string): AmountReading {
  const [, whole = '', fraction = '', sign] =
    /^(\d{1,3})(?:[.,](\d{1,4}))?\s*(%?)$/.exec(text.normalize('NFKC').trim()) ?? [];
  const percent = Number(`${whole || 'NaN'}.${fraction}`);
  const digits = fraction.replace(/0+$/, '');
  if (percent > 0 && percent <= 1 && sign === '') {
    const [share, typed] = [percentOf(fraction === '' ? whole : `${whole}.${fraction}`), text.trim()];
    return { problem: `${typed} can mean ${share} % or ${typed} %: enter ${share} or ${typed} %.` };
  }
  if (!(percent <= 100) || digits.length > 2)
    return { problem: 'Enter a percentage from 0 to 100, such as 19 or 7.5.' };
  const moved = `${whole.padStart(3, '0')}${digits}`;
  const rate = `${Number(moved.slice(0, 1))}.${moved.slice(1)}`.replace(/\.?0+$/, '');
  return { amount: rate };
}

/** Converts a rate such as "0.055" to a percentage: "5.5". */
export function percentOf(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const digits = fraction.padEnd(2, '0');
  const percent = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(2).replace(/0+$/, '');
  return rest === '' ? percent : `${percent}.${rest}`;
}
