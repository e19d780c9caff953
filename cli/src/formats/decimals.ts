/** The text as the contract's money (`1299.00`), undefined when it is not a plain amount. Surplus zeros are dropped. */
export function moneyOf(text: string): string | undefined {
  if (text.length > 30) return undefined;
  const plain = plainNumber(text);
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,9}))?$/.exec(plain) ?? [];
  if (whole === '') return undefined;
  const digits = fraction.length > 3 ? fraction.replace(/0+$/, '') : fraction;
  const amount = (whole.replace(/^0+(?=\d)/, '') || '0') + (digits === '' ? '' : `.${digits}`);
  return /^(?:0|[1-9]\d{0,11})(?:\.\d{1,3})?$/.test(amount) ? amount : undefined;
}

const CURRENCY_BEFORE = /^(?:\p{Sc}|[A-Z]{3})\s*(?=[\d-])/u;
const CURRENCY_AFTER = /(\d)\s*(?:\p{Sc}|[A-Z]{3})$/u;

/** The number of an amount such as `€ 12.50` or `12.50 EUR`. */
export function withoutCurrency(text: string): string {
  return text.replace(CURRENCY_BEFORE, '').replace(CURRENCY_AFTER, '$1');
}

/**
 * A number as programs write it, where the text cannot be read in two ways: thousands are set apart only if decimals follow them by
 * another character (`1,299.00`, `1.299,00`), and a decimal comma has one or two digits. Other texts come back as they are.
 */
export function plainNumber(text: string): string {
  if (/^\d{1,3}(?:,\d{3})+\.\d+$/.test(text)) return text.replaceAll(',', '');
  if (/^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return text.replaceAll('.', '').replace(',', '.');
  return /^\d+,\d{1,2}$/.test(text) ? text.replace(',', '.') : text;
}

/** Whether a number is one thing to some and another to others: `1,250` is a thousand two hundred and fifty, or one and a quarter. */
export function isAmbiguous(text: string): boolean {
  return /^[1-9]\d{0,2},\d{3}$/.test(text);
}

/** Whether one amount of the contract's money is more than another, exactly. */
export function isMore(amount: string, other: string): boolean {
  return thousandths(amount) > thousandths(other);
}

function thousandths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(3, '0'));
}

/** People type weights with at most two decimals, and files round them to grams by less than this share. */
const TYPED_DECIMALS = 2;
const ROUNDED_BY = 0.001;

/**
 * The weight that a file tells in grams: the short one that somebody may have typed, if it is rounded to these grams, and else what
 * they are exactly. `unit` is how many grams one unit weighs.
 */
export function weightIn(grams: number, unit: number): string {
  const given = String(grams);
  const decimals = given.includes('.') ? given.length - given.indexOf('.') - 1 : 0;
  for (let digits = 0; digits <= TYPED_DECIMALS; digits++) {
    const typed = plainDecimal(grams / unit, digits);
    const meant = Number(typed) * unit;
    const isNear = Math.abs(meant - grams) <= grams * ROUNDED_BY;
    if (isNear && plainDecimal(meant, Math.min(decimals, 20)) === given) return typed;
  }
  return plainDecimal(grams / unit, 8);
}

/** How many grams a weight is, with as few decimals as give the same weight again; `grams` is what one unit weighs. */
export function gramsOf(weight: string, grams: number): string {
  const exact = Number(weight) * grams;
  for (let digits = 0; digits < 10; digits++) {
    const text = plainDecimal(exact, digits);
    if (Number(weightIn(Number(text), grams)) === Number(weight)) return text;
  }
  return plainDecimal(exact, 10);
}

/** A number in plain decimals, with at most this many after the point and no trailing zeros. */
export function plainDecimal(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}
