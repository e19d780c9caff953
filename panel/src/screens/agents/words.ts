/** An amount with the period after which it resets. */
export function eachPeriod(amount: string, period: string): string {
  return period === 'once' ? amount : `${amount} a ${period}`;
}
