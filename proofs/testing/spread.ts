/** Returns the median and the largest of the numbers. */
export function spreadOf(numbers: number[]): { median: number; most: number } {
  const sorted = numbers.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
}
