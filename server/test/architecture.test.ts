import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FLOORS, importsOf, mistakesOf } from '../../scripts/borders.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

test('each file and folder that docs/architecture.md names exists', () => {
  const named = [
    ...PAGE.matchAll(/`((?:server|scripts|http|shop|search|pages|jobs|db|storefront|dashboard|agent)\/[\w/.-]*)`/g),
  ];
  const missing = named
    .map(([, path = '']) => path)
    .filter((path) => ![ROOT, join(ROOT, 'server/src')].some((folder) => existsSync(join(folder, path))));

  expect(named.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

describe('the lists of layers in docs/architecture.md', () => {
  const lists = [...PAGE.matchAll(/(?:^\d+\. .*\n)+/gm)].map(([list]) => list.trim().split('\n'));
  test.each(['server/src', 'server/src/shop'])(
    'docs/architecture.md lists the layers of %s that the layer check uses',
    (root) => {
      const list = lists[root === 'server/src' ? 0 : 1] ?? [];

      const listed = list.map((line) =>
        / the files directly in /.test(line) ? ['.'] : [...line.matchAll(/`([\w.-]+?)\/?`/g)].map(([, name]) => name),
      );

      expect(listed).toEqual(FLOORS[root]);
    },
  );

  test('docs/architecture.md lists each folder of the server in its table', () => {
    const table = PAGE.split('\n').filter((line) => line.startsWith('| `'));
    const named = table.flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`(?:server\/src\/)?(\w+)\//g)]);

    const folders = readdirSync(join(ROOT, 'server/src'), { withFileTypes: true }).filter((one) => one.isDirectory());

    expect(new Set(named.map(([, folder]) => folder))).toEqual(new Set(folders.map(({ name }) => name)));
  });
});

describe('the layer check', () => {
  test.each([
    ['an import of a higher layer', 'server/src/shop/shop.ts', `import { run } from '../jobs/run.ts';`],
    [
      'an import of a folder in the same layer',
      'server/src/egress/post.ts',
      `import type { Locale } from '../language/locales.ts';`,
    ],
    ['a side-effect import of a higher layer', 'server/src/db/connect.ts', `import '../shop/shop.ts';`],
    [
      'a dynamic import of a higher layer',
      'server/src/jobs/run.ts',
      `const { start } = await import(\n  '../commands/start.ts'\n);`,
    ],
    ['an import of a folder without a layer', 'server/src/app.ts', `export * from './attic/attic.ts';`],
    [
      'an import from a folder without a layer',
      'server/src/attic/attic.ts',
      `import { document } from '../http/contract/contract.ts';`,
    ],
    [
      'an import of a package that this folder may not use',
      'server/src/agent/intent.ts',
      `import sql from 'sql-template-tag';`,
    ],
    [
      'an import of the server by a client',
      'cli/src/main.ts',
      `import { readConfig } from '../../server/src/config.ts';`,
    ],
  ])('the layer check rejects %s', (_, file, source) => {
    expect(mistakesOf(importsOf(file, source))).toHaveLength(1);
  });

  test('the layer check rejects imports that form a cycle, and reports the cycle once', () => {
    const circle = ['a', 'b', 'c'].map((name, i, all) => ({
      file: `sdk/src/${name}.ts`,
      target: `sdk/src/${all[(i + 1) % all.length]}.ts`,
    }));

    expect(mistakesOf(circle)).toEqual(['Circle: sdk/src/a.ts → sdk/src/b.ts → sdk/src/c.ts → sdk/src/a.ts']);
  });

  test('the layer check accepts an allowed package and an allowed file, and ignores `from` outside of imports', () => {
    const source = `import pg from 'pg';\nimport * as mail from '../mail.ts';\nexport const from = 'x';\n// from './y.ts'\n`;

    expect(mistakesOf(importsOf('server/src/shop/carts/rows.ts', source))).toEqual([]);
  });
});
