import { writeFile } from 'node:fs/promises';
import { mockShop } from '../src/demo/mock-shop.ts';

/** Writes the data that `commerce mock` serves: the demo shop. */
await writeFile(
  new URL('../../cli/src/mock/generated/demo-shop.json', import.meta.url),
  `${JSON.stringify(mockShop())}\n`,
);
