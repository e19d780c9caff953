/**
 * Returns the p-value of the Mann-Whitney test: the probability of a difference at least this large if both samples
 * have the same distribution. Two-sided, with the normal approximation and a correction for ties.
 */
export function rankSumTest(one: number[], other: number[]): number {
  const all = [
    ...one.map((value) => ({ value, mine: true })),
    ...other.map((value) => ({ value, mine: false })),
  ].toSorted((a, b) => a.value - b.value);
  const [n, m, total] = [one.length, other.length, all.length];
  let [rankSum, ties] = [0, 0];
  for (let from = 0; from < total; ) {
    let to = from;
    while (to < total && all[to]?.value === all[from]?.value) to += 1;
    const rank = (from + to + 1) / 2;
    for (let i = from; i < to; i += 1) if (all[i]?.mine) rankSum += rank;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  const u = rankSum - (n * (n + 1)) / 2;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (variance === 0) return 1;
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / Math.sqrt(variance);
  return complementOfError(z / Math.SQRT2);
}

/** The complementary error function for x ≥ 0, to seven digits (Abramowitz and Stegun 7.1.26). */
function complementOfError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return series * Math.exp(-x * x);
}
