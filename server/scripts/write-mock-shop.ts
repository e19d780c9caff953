import { writeFile } from 'node:fs/promises';
import { mockShop } from '../src/demo/mock-shop.ts';

/** Writes what `commerce mock` serves: the demo shop, as data. */
await writeFile(
  new URL('../../cli/src/mock/generated/demo-shop.json', import.meta.url),
  `${JSON.stringify(mockShop())}\n`,
);
