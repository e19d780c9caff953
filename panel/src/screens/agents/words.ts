/** An amount with how often it is there anew. */
export function eachPeriod(amount: string, period: string): string {
  return period === 'once' ? amount : `${amount} a ${period}`;
}
