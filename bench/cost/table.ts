import { table } from '../report.ts';
import type { Measured } from './cost.ts';
import { SHOPS, type Shops } from './shops.ts';
import type { Start, Starts } from './starts.ts';

const START = {
  must: { seconds: 0.8, rss: 130 },
  bareThen: { seconds: 0.26, rss: 63 },
};
const LEAST_SHARE = 0.8;

/** Describes how the figures were measured. */
export function pace(clients: number, seconds: number, rounds: number): string {
  return `${clients} clients; per row and server ${rounds} rounds of ${+(seconds / rounds).toFixed(1)} seconds.`;
}

/** Formats tables of the costs and the goals, followed by the speed and the data sent to the database. */
export function tables(measured: Measured[], shops: Shops | undefined, starts: Starts | undefined): string[] {
  const costs = [...measured.map(costOf), ...(shops ? [shareOf(shops)] : []), ...(starts ? startsOf(starts) : [])];
  return [...table(COSTS, costs), ...(measured.length > 0 ? ['', ...table(RATES, measured.map(ratesOf))] : [])];
}

type Line = (string | number)[];

const COSTS = [
  ...['CPU ms per unit', 'bare', 'now', 'must', 'must met'],
  ...['now : bare', 'must : bare', 'must met so', 'server + PostgreSQL'],
];
const RATES = [
  ...['Units', 'bare /s', 'now /s', 'bare p50 ms', 'now p50', 'bare p99', 'now p99'],
  ...['SQL statements', 'round trips', 'must', 'must met'],
];

function costOf({ row: { title, must, bareThen }, bare, now, multiple }: Measured): Line {
  const bound = bareThen === undefined ? undefined : must.cpu / bareThen;
  const selling = now.orders > 0 ? ` (${now.orders.toFixed(1)} placed, ${now.refused} refused in all)` : '';
  return [
    ...[title + selling, bare ? fine(bare.cpu) : '–', fine(now.cpu), must.cpu, metIf(now.cpu <= must.cpu)],
    ...[multiple ? times(multiple) : '', bound ? times(bound) : ''],
    ...[multiple && bound ? metIf(multiple <= bound) : '', `${fine(now.server)} + ${fine(now.postgres)}`],
  ];
}

function ratesOf({ row: { title, must }, bare, now, sent }: Measured): Line {
  return [
    ...[title, bare ? bare.perSecond.toFixed(0) : '–', now.perSecond.toFixed(0)],
    ...[bare ? bare.p50.toFixed(1) : '–', now.p50.toFixed(1), bare ? bare.p99.toFixed(1) : '–', now.p99.toFixed(1)],
    ...[+sent.statements.toFixed(1), +sent.round_trips.toFixed(1), must.round_trips ?? ''],
    must.round_trips === undefined ? '' : metIf(sent.round_trips <= must.round_trips),
  ];
}

function shareOf({ costs: { one, several }, ratio }: Shops): Line {
  const share = ratio('one', 'several', 'perSecond');
  return [
    `orders/s of one shop (${one.perSecond.toFixed(0)}), as a share of those of ${SHOPS} together (${several.perSecond.toFixed(0)})`,
    ...['–', share.toFixed(2), LEAST_SHARE, metIf(share >= LEAST_SHARE), '', '', ''],
    `CPU ms per order: one ${fine(one.cpu)}, ${SHOPS} ${fine(several.cpu)}`,
  ];
}

function startsOf({ bare, api, all }: Starts): Line[] {
  const { must, bareThen } = START;
  const both = ({ seconds, rss }: Memory) => `${seconds.toFixed(2)} s / ${rss.toFixed(0)} MB`;
  const against = (of: Memory, to: Memory) => `${times(of.seconds / to.seconds)} / ${times(of.rss / to.rss)}`;
  const line = (title: string, now: Start): Line => {
    const so =
      now.seconds / bare.seconds <= must.seconds / bareThen.seconds && now.rss / bare.rss <= must.rss / bareThen.rss;
    return [
      ...[title, both(bare), both(now), both(must), metIf(now.seconds <= must.seconds && now.rss <= must.rss)],
      ...[against(now, bare), against(must, bareThen), metIf(so)],
      `${now.cpu.toFixed(2)} s of CPU, bare ${bare.cpu.toFixed(2)}`,
    ];
  };
  return [line('start / RSS at rest, `ROLE=api`', api), line('start / RSS at rest, default role', all)];
}

type Memory = Pick<Start, 'seconds' | 'rss'>;

function times(multiple: number): string {
  return `${multiple.toFixed(1)} ×`;
}

function metIf(reached: boolean): string {
  return reached ? 'yes' : 'no';
}

/** Formats milliseconds with two decimals below 10, otherwise with one. */
export function fine(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 10 ? 2 : 1);
}
