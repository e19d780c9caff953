import { checkOut } from '../checkout.ts';
import { report, table } from '../report.ts';
import { CLIENTS, namesIn, playerOf } from './cost.ts';
import { type Cost, interleave, type Load, type Rounds } from './play.ts';
import { PRODUCTS, type Row, rowsOf } from './rows.ts';
import { type Commerce, closeCommerce, countSent, openCommerce, type Sent, targetOf } from './shop.ts';
import { compareShops, SHOPS } from './shops.ts';
import { installed, type Start, timeStarts } from './starts.ts';
import { fine, pace } from './table.ts';

export interface CompareOptions {
  /** The commit that this checkout is compared with. */
  ref: string | undefined;
  only?: string[];
  seconds: number;
  products?: number;
}

const ROUNDS = 10;

type Both<T> = Record<'old' | 'new', T>;
type Line = (string | number)[];

/**
 * Measures the cost of another commit and of this checkout, in turn, each with its own database. Prints the figures,
 * and does not write them to the README.
 */
export async function compare({ ref, only, seconds, products = PRODUCTS }: CompareOptions): Promise<void> {
  if (!ref) throw new Error('Name the commit to compare with: npm run bench -- compare REF');
  const chosen = namesIn(only);
  const { root, commit, packages, remove } = await checkOut(ref);
  const opened: Commerce[] = [];
  try {
    const open = async (where?: string) => {
      const commerce = await openCommerce(products, where);
      opened.push(commerce);
      return commerce;
    };
    const both = { old: await open(root), new: await open() };
    const load = { seconds, rounds: ROUNDS };
    const rows: Line[] = [];
    for (const [name, row] of Object.entries(rowsOf(products))) {
      if (!chosen.includes(name)) continue;
      process.stderr.write(`  ${row.title}\n`);
      rows.push(await lineOf(row, both, load));
    }
    const more = [
      ...(chosen.includes('shops') ? [await shopsOf(both, products, load)] : []),
      ...(chosen.includes('start') ? await startsOf(both) : []),
    ];
    const lines = [
      `Old is ${commit}, with its ${packages}; new is this checkout. ${pace(CLIENTS, seconds, ROUNDS)}`,
      ...(rows.length > 0 ? ['', ...table(COSTS, rows)] : []),
      ...(more.length > 0 ? ['', ...table(['', 'old', 'new', 'new : old'], more)] : []),
    ];
    await report('cost', both.new.database.version, lines, { part: true });
  } finally {
    for (const commerce of opened) await closeCommerce(commerce);
    await remove();
  }
}

const COSTS = [
  ...['CPU ms per unit', 'old', 'new', 'new : old', '98 % interval', 'old /s', 'new /s', 'p50 ms', 'p99 ms'],
  ...['SQL statements', 'round trips'],
];

async function lineOf(row: Row, both: Both<Commerce>, load: Load): Promise<Line> {
  const opened = async (commerce: Commerce) => playerOf(row, commerce, await targetOf(commerce, row.cache, CLIENTS));
  const { costs, ratio, ratios }: Rounds<'old' | 'new'> = await interleave(
    { old: await opened(both.old), new: await opened(both.new) },
    { ...load, warmUp: row.warmUp },
  );
  const sent = {
    old: await countSent(both.old, row.cache, row.ours),
    new: await countSent(both.new, row.cache, row.ours),
  };
  const change = (field: keyof Cost, digits: number) =>
    `${costs.old[field].toFixed(digits)} → ${costs.new[field].toFixed(digits)}`;
  const sending = (field: keyof Sent) => `${+sent.old[field].toFixed(1)} → ${+sent.new[field].toFixed(1)}`;
  return [
    ...[row.title, fine(costs.old.cpu), fine(costs.new.cpu), ratio('new', 'old', 'cpu').toFixed(2)],
    intervalOf(ratios('new', 'old', 'cpu')),
    ...[costs.old.perSecond.toFixed(0), costs.new.perSecond.toFixed(0), change('p50', 1), change('p99', 1)],
    ...[sending('statements'), sending('round_trips')],
  ];
}

/**
 * With a probability of 97.9 %, the true median lies between the second lowest and the second highest of ten
 * measurements, whatever the distribution is.
 */
function intervalOf(sorted: number[]): string {
  return `${sorted.at(1)?.toFixed(2)} – ${sorted.at(-2)?.toFixed(2)}`;
}

async function shopsOf(both: Both<Commerce>, products: number, load: Load): Promise<Line> {
  const old = (await compareShops(both.old, products, CLIENTS, load)).ratio('one', 'several', 'perSecond');
  const now = (await compareShops(both.new, products, CLIENTS, load)).ratio('one', 'several', 'perSecond');
  return [
    `orders/s of one shop, as a share of those of ${SHOPS} together`,
    ...[old, now, now / old].map((share) => share.toFixed(2)),
  ];
}

async function startsOf(both: Both<Commerce>): Promise<Line[]> {
  const starts = await timeStarts({
    old: (env) => installed(both.old, { ...env, ROLE: 'api' }),
    new: (env) => installed(both.new, { ...env, ROLE: 'api' }),
  });
  const line = (title: string, field: keyof Start, digits: number): Line => [
    ...[title, starts.old[field].toFixed(digits), starts.new[field].toFixed(digits)],
    (starts.new[field] / starts.old[field]).toFixed(2),
  ];
  return [
    line('start, `ROLE=api`, s', 'seconds', 2),
    line('CPU of the start, s', 'cpu', 2),
    line('RSS at rest, MB', 'rss', 0),
  ];
}
