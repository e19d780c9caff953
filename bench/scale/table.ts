import { fine } from '../cost/table.ts';
import { table, whole } from '../report.ts';
import type { Measured } from './measure.ts';
import { WORKS } from './work.ts';

/**
 * Formats a table for each shop with the cost of its work at each size of the database. All measurements follow in a
 * collapsed section.
 */
export function tables(measured: Measured[]): string[] {
  const shops = [...new Set(measured.map(({ shop }) => shop))];
  return [
    ...shops.flatMap((shop) => [
      ...growth(
        measured.filter((one) => one.shop === shop),
        shop,
      ),
      '',
    ]),
    ...['<details>', '<summary>All that was measured</summary>', ''],
    ...table(DETAILS, measured.map(detailOf)),
    ...['', '</details>'],
  ];
}

const DETAILS = [
  ...['Work', 'in a shop of', 'products in the database', 'p50 ms', 'p99 ms', 'CPU ms', 'server + PostgreSQL'],
  ...['SQL statements', 'rows read', 'pages read'],
];

function growth(measured: Measured[], shop: number): string[] {
  const sizes = [...new Set(measured.map(({ products }) => products))];
  const header = [`CPU ms, in a shop of ${whole(shop)}`, ...sizes.map((size) => `of ${whole(size)}`)];
  const rows = WORKS.map((work) => {
    const costs = sizes.map(
      (size) => measured.find((one) => one.work === work && one.products === size)?.cost.cpu ?? 0,
    );
    const grown = (costs.at(-1) ?? 0) / (costs[0] ?? 1);
    return [
      work.title,
      ...costs.map(fine),
      `${grown.toFixed(2)} ×`,
      `${work.bound} ×`,
      grown <= work.bound ? 'yes' : '**no**',
    ];
  });
  return table([...header, 'last : first', 'at most', 'kept'], rows);
}

function detailOf({ work, shop, products, cost, reads }: Measured): (string | number)[] {
  return [
    ...[work.title, whole(shop), whole(products), cost.p50.toFixed(1), cost.p99.toFixed(1), fine(cost.cpu)],
    ...[`${fine(cost.server)} + ${fine(cost.postgres)}`, reads ? +reads.statements.toFixed(1) : ''],
    ...(reads ? [whole(reads.rows), whole(reads.pages)] : ['', '']),
  ];
}
