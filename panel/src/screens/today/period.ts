import { t } from '../../language/texts.ts';
import { dayOf } from '../../ui/days.ts';

const DAY_MS = 86_400_000;

/** The first and the last day, such as 2026-11-23. */
export interface Period {
  from: string;
  to: string;
}

export const PERIODS = ['today', 'yesterday', '7', '30', '90', 'month'] as const;
export type PeriodName = (typeof PERIODS)[number];

export function nameOf(period: PeriodName): string {
  if (period === 'today') return t('Today');
  if (period === 'yesterday') return t('Yesterday');
  if (period === 'month') return t('This month');
  return t('{count} days', { count: period });
}

/** The period of this name, in days of the time zone. */
export function periodOf(name: PeriodName, timeZone: string): Period {
  const today = dayOf(new Date().toISOString(), timeZone);
  if (name === 'today') return { from: today, to: today };
  if (name === 'yesterday') return { from: earlier(today, 1), to: earlier(today, 1) };
  if (name === 'month') return { from: `${today.slice(0, 8)}01`, to: today };
  return { from: earlier(today, Number(name) - 1), to: today };
}

/** The period in the URL: two days, or one of the names; 30 days by default. */
export function periodIn(params: URLSearchParams, timeZone: string): Period & { name: PeriodName | undefined } {
  const [from, to] = [params.get('from'), params.get('to')];
  if (from && to) return { from, to, name: undefined };
  const name = PERIODS.find((each) => each === params.get('period')) ?? '30';
  return { ...periodOf(name, timeZone), name };
}

function earlier(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}

/** A time in the middle of the day, so that hardly any time zone shows another day. */
export function middayOf(day: string): string {
  return `${day}T12:00:00Z`;
}
