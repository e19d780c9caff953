/** Whether one amount of the contract's money is more than another, exactly. */
export function isMore(amount: string, other: string): boolean {
  return thousandths(amount) > thousandths(other);
}

const AMOUNT = /^\d+(?:\.\d{1,3})?$/;

/**
 * Whether a price differs by more than 80 % from what it was: usually a slip of the decimal sign, so people are asked first. A price
 * in a file may be no amount at all, which the server rejects.
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
