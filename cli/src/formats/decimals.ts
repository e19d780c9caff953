/** Whether one amount is more than another, compared exactly. */
export function isMore(amount: string, other: string): boolean {
  return thousandths(amount) > thousandths(other);
}

const AMOUNT = /^\d+(?:\.\d{1,3})?$/;

/**
 * Whether a price changes by more than 80 %: usually a misplaced decimal sign, so people are asked first. A price in a file may
 * not be an amount at all; the server rejects it.
 */
export function isLargeChange(before: string, after: unknown): boolean {
  if (typeof after !== 'string' || !AMOUNT.test(after)) return false;
  const [was, now] = [thousandths(before), thousandths(after)];
  const difference = now > was ? now - was : was - now;
  return was > 0n && difference * 100n > was * 80n;
}

function thousandths(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(3, '0'));
}

/** People type weights with at most two decimals, and files round them to grams by less than this share. */
const TYPED_DECIMALS = 2;
const ROUNDED_BY = 0.001;

/**
 * A file's weight in grams, in the given unit: the short weight that somebody may have typed, if it rounds to these grams, else
 * the exact one. `unit` is the number of grams of one unit.
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

/** A weight in its unit, with as few decimals as give the same grams again; `grams` is the number of grams of one unit. */
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
