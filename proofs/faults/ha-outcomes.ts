import { spreadOf } from '../testing/spread.ts';

/** The figures of one injected fault. */
export interface Outcome {
  fault: string;
  /** The longest time without a confirmed order, in seconds. */
  pause: number;
  confirmed: number;
  lost: number;
  doubled: number;
  /** More about this fault, such as `1.2 s before the kill`. */
  detail: string;
}

export function described({ fault, pause, confirmed, lost, doubled, detail }: Outcome): string {
  return `${fault}: ${pause.toFixed(1)} s without orders (${detail}); ${confirmed} confirmed, ${lost} lost, ${doubled} doubled`;
}

/** Returns one sentence per kind of fault: how often it occurred, the median and the longest pause, and the orders. */
export function summary(outcomes: Outcome[]): string {
  const kinds = [...new Set(outcomes.map(({ fault }) => fault))];
  return kinds
    .map((kind) => {
      const those = outcomes.filter(({ fault }) => fault === kind);
      const { median, most } = spreadOf(those.map(({ pause }) => pause));
      const sum = (field: 'confirmed' | 'lost' | 'doubled') => those.reduce((total, one) => total + one[field], 0);
      const seconds = `${median.toFixed(1)} s without orders (most ${most.toFixed(1)} s)`;
      return `${those.length} × ${kind}: ${seconds}, ${sum('confirmed')} confirmed, ${sum('lost')} lost, ${sum('doubled')} doubled`;
    })
    .join('; ');
}
