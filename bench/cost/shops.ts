import { buy } from '../flows.ts';
import { interleave, type Load, play, type Rounds } from './play.ts';
import { addShop, type Commerce, rest, targetOf } from './shop.ts';

/**
 * The cost of orders when all shoppers buy in one shop, and when they are spread over several shops with as many
 * products in total.
 */
export type Shops = Rounds<'one' | 'several'>;

export const SHOPS = 8;

export async function compareShops(commerce: Commerce, products: number, clients: number, load: Load): Promise<Shops> {
  process.stderr.write(`  one shop and ${SHOPS}\n`);
  const shops = [];
  for (let count = 0; count < SHOPS; count += 1) shops.push(await addShop(commerce, Math.ceil(products / SHOPS)));
  await rest(commerce.database.bareUrl, commerce.postmaster);
  const inOne = await targetOf(commerce, 'on', clients);
  const inSeveral = await targetOf(commerce, 'on', clients, shops);
  return interleave(
    {
      one: (seconds: number) => play(buy, inOne, seconds),
      several: (seconds: number) => play(buy, inSeveral, seconds),
    },
    load,
  );
}
