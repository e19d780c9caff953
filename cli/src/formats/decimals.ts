/** Whether an amount is larger than another. The comparison is exact. */
export function isMore(amount: string, other: string): boolean {
  return thousandths(amount) > thousandths(other);
}

const AMOUNT = /^\d+(?:\.\d{1,3})?$/;

/**
 * Whether a price changes by more than 80 %, which is usually a misplaced decimal point. The user must confirm it.
 * Returns false if `after` is not an amount, because the server rejects it.
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

/** Weights are usually typed with at most two decimals. */
const TYPED_DECIMALS = 2;
const ROUNDED_BY = 0.001;

/**
 * Converts grams to another unit. If a weight with few decimals rounds to these grams, somebody has probably typed it,
 * so it is used; otherwise the exact weight. `unit` is the number of grams in one unit.
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

/**
 * Converts a weight to grams, with the fewest decimals from which `weightIn` returns the same weight. `unit` is the
 * number of grams in one unit.
 */
export function gramsOf(weight: string, unit: number): string {
  const exact = Number(weight) * unit;
  for (let digits = 0; digits < 10; digits++) {
    const text = plainDecimal(exact, digits);
    if (Number(weightIn(Number(text), unit)) === Number(weight)) return text;
  }
  return plainDecimal(exact, 10);
}

/** Formats a number with at most `digits` decimals and without trailing zeros. */
export function plainDecimal(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}
