/** The minor units of a decimal amount, for exact arithmetic with amounts of one currency. */
export function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Writes minor units with as many digits as another amount of the currency has. */
export function amountLike(example: string, units: bigint): string {
  const digits = example.split('.')[1]?.length ?? 0;
  if (digits === 0) return String(units);
  const text = String(units).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
