/** Converts a decimal amount to minor units, for exact arithmetic. */
export function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Formats minor units with the number of decimals of another amount in the same currency. */
export function amountLike(example: string, units: bigint): string {
  const digits = example.split('.')[1]?.length ?? 0;
  if (digits === 0) return String(units);
  const text = String(units).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
