import { isAmbiguous, plainNumber } from '../../../cli/src/formats/decimals.ts';

/** Arithmetic with decimal strings of one currency, exact, in whole minor units. */
export function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Minor units written with as many digits as another amount of the currency has. */
export function amountLike(example: string, units: bigint): string {
  const digits = example.split('.')[1]?.length ?? 0;
  if (digits === 0) return String(units);
  const text = String(units).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * An amount or a weight as people type it, `14,5`, ` 14.50 ` or `1.299,00`, as the API takes it. What can be read in two ways stays as
 * it is, which the API refuses.
 */
export function typedAmount(text: string): string {
  const plain = plainNumber(text.trim());
  return isAmbiguous(plain) ? plain : plain.replace(',', '.');
}

/** What is wrong with a number that can be read in two ways. */
export function ambiguityOf(text: string): string | undefined {
  const typed = text.trim();
  if (!isAmbiguous(typed)) return undefined;
  return `This can be read in two ways: write ${typed.replace(',', '')} or ${typed.replace(',', '.')}.`;
}
