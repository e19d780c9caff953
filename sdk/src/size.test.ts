import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** Maximum size of the storefront client with `unwrap` and openapi-fetch, minified and compressed. */
const MOST_BYTES = 6 * 1024;
const ENTRY = 'entry';
const index = new URL('index.ts', import.meta.url).pathname;

/** Compressed size of the code for these exports. */
async function compressedSize(names: string[]): Promise<number> {
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? `export { ${names.join(', ')} } from ${JSON.stringify(index)};` : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  return gzipSync(output[0].code, { level: 9 }).byteLength;
}

test('the storefront client is no larger than the README states', async () => {
  const bytes = await compressedSize(['createStorefrontClient', 'unwrap']);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, stated] = readme.match(/([\d.]+) KB gzip for the storefront client only/) ?? [];
  expect(Number(stated)).toBeCloseTo(bytes / 1000, 1);
  expect(await compressedSize(['createStorefrontClient', 'createDashboardClient', 'webhooks'])).toBeGreaterThan(bytes);
});
