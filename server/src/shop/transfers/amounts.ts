/** The amounts that banks write: `1.234,56`, `1,234.56`, `1 234,56 €`, `1'234.50`, `-5,00`, `5,00-` and `(5.00)`. */

/** The mark before the decimals, as far as the amounts of a file agree on one; some amounts do not tell. */
export function decimalMarkOf(amounts: string[]): string | undefined {
  const marks = new Set(amounts.flatMap((written) => /[.,](?=\d{1,2}(?:\D*)$)/.exec(written)?.[0] ?? []));
  return marks.size === 1 ? [...marks][0] : undefined;
}

/** As a plain decimal; undefined for what is no amount, or could be two. `mark` is the file's mark before decimals. */
export function amountOf(written: string, mark?: string): string | undefined {
  const text = written.replace(/[\s\u00a0\u202f'’]|[A-Z]{3}|[€$£¥+]/g, '').replace(/^\((.*)\)$/, '-$1');
  const [, minus = '', digits = '', after] = /^([-−]?)([\d.,]*\d)([-−]?)$/.exec(text) ?? [];
  if (digits === '' || digits.length > LONGEST) return undefined;
  const sign = minus || after ? '-' : '';
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return sign + digits;
  const [whole, fraction] = [digits.slice(0, last), digits.slice(last + 1)];
  const here = digits[last] ?? '';
  const other = here === '.' ? ',' : '.';
  // A mark that occurs more than once separates thousands, and so does one before three digits, unless the other does.
  if (whole.includes(here)) return thousands(digits, here) ? sign + digits.replaceAll(here, '') : undefined;
  if (whole.includes(other))
    return thousands(whole, other) ? `${sign}${whole.replaceAll(other, '')}.${fraction}` : undefined;
  if (fraction.length !== 3) return `${sign}${whole || '0'}.${fraction}`;
  return mark === other && thousands(digits, here) ? sign + digits.replaceAll(here, '') : undefined;
}

const LONGEST = 20;

function thousands(digits: string, mark: string): boolean {
  const [first = '', ...groups] = digits.split(mark);
  return first.length > 0 && first.length <= 3 && groups.every((group) => group.length === 3);
}
