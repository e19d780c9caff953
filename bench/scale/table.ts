import { fine } from '../cost/table.ts';
import { table, whole } from '../report.ts';
import type { Measured } from './measure.ts';
import { WORKS } from './work.ts';

/** Formats a table for each shop with the cost of its work at each size of the database. */
export function tables(measured: Measured[]): string[] {
  const shops = [...new Set(measured.map(({ shop }) => shop))];
  return shops.flatMap((shop) => [...growthIn(shop, measured), '']);
}

function growthIn(shop: number, all: Measured[]): string[] {
  const measured = all.filter((one) => one.shop === shop);
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
