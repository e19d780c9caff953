/** Adds the budget period to an amount. */
export function eachPeriod(amount: string, period: string): string {
  return period === 'once' ? amount : `${amount} a ${period}`;
}
