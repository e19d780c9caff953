import type { Config } from '../../config.ts';
import { mintPassword } from '../../shop/merchant/sites.ts';
import { withPool } from '../database.ts';
import { printProgress } from '../progress.ts';
import { asJson, openIn, openingIn } from './open-in.ts';
import { readShopLines } from './shop-file.ts';

/** Number of shops opened concurrently, so that the password of the next shop is hashed while one is written. */
const AT_ONCE = 2;

/**
 * Opens the shops in a file, one per line. Opens none if any line contains a mistake. Prints a JSON line with the line
 * number as soon as a shop is open. If the database rejects a shop, reports its line and continues with the others.
 * Returns true if all shops were opened.
 */
export async function openMany(config: Config, file: string): Promise<boolean> {
  const shops = await readShopLines(file);
  const waiting = shops.values();
  let refused = 0;
  await withPool(config, async (db) => {
    const work = async () => {
      for (const { line, shop } of waiting) {
        try {
          const opening = { ...openingIn(shop), password: await mintPassword() };
          const opened = await openIn(db, config, opening, `${file}:${line}`);
          process.stdout.write(`${JSON.stringify({ line, ...asJson(opened, config) })}\n`);
        } catch (error) {
          refused += 1;
          printProgress(messageOf(error, `${file}:${line}`));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  printProgress(`${shops.length - refused} of ${shops.length} shops are open.`);
  return refused === 0;
}

/** The messages of an error, each with its place, unless the message already contains one. */
function messageOf(error: unknown, place: string): string {
  const { message, detail } = error as Error & { detail?: { msg: string }[] };
  const sentences = Array.isArray(detail) ? detail.map(({ msg }) => msg) : [message];
  return sentences.map((one) => (one.startsWith(place) ? one : `${place}: ${one}`)).join('\n');
}
