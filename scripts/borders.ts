import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/**
 * Allowed imports. Folders are listed from the lowest layer to the highest. A folder may import only lower layers, and
 * not its neighbours in the same layer. `.` stands for the files next to the folders, except those listed themselves.
 * docs/architecture.md contains the same list.
 */
export const FLOORS: Record<string, string[][]> = {
  'server/src': [
    ['language', 'egress', 'files', 'tracing', 'metrics', 'secret-key.ts', 'once.ts'],
    ['db'],
    ['search', 'backup'],
    ['shop'],
    ['jobs', 'demo'],
    ['http'],
    ['dashboard', 'storefront', 'sync', 'agent', 'operator', 'pages', 'mcp', 'ucp'],
    ['.'],
    ['commands'],
    ['main.ts'],
  ],
  'server/src/shop': [
    ['.'],
    ['passwords', 'files', 'audit'],
    ['products', 'stock', 'webhooks'],
    ['catalog'],
    ['discounts', 'agent-limits'],
    ['carts'],
    ['shipping'],
    ['orders'],
    ['returns'],
    ['withdrawals'],
    ['customers', 'payments', 'transfers'],
    ['account', 'due-payments', 'merchant', 'operators'],
    ['invoices'],
    ['mails'],
    ['checkout'],
    ['agents', 'drafts', 'integrations', 'versions', 'sites'],
  ],
  'server/src/http': [
    ['received.ts'],
    ['contract'],
    ['callers'],
    ['request.ts'],
    ['pipeline'],
    ['.'],
    ['express'],
    ['in-process.ts', 'operators'],
  ],
  'server/src/pages': [
    ['parts'],
    ['account', 'buy', 'checkout', 'order', 'withdraw', 'agent-consent', 'agent-guides', 'docs', 'panel'],
    ['.'],
  ],
  'server/src/search': [['.'], ['words'], ['index'], ['query'], ['rank']],
};

interface Border {
  from: string[];
  /** Folders, files or packages that may not be imported. */
  to: string[];
  why: string;
}

const SURFACES = ['dashboard', 'storefront', 'sync', 'agent'].map((name) => `server/src/${name}`);

/** Import rules in addition to the layers. */
const BORDERS: Border[] = [
  { from: SURFACES, to: ['express'], why: 'A surface sees validated calls, not requests.' },
  { from: SURFACES, to: ['knex', 'pg', 'sql-template-tag', 'server/src/db'], why: 'SQL belongs to the shop.' },
  { from: ['server/src/shop', 'server/src/search'], to: ['express'], why: 'The shop does not depend on HTTP.' },
  {
    from: ['server/src/demo/stored.ts', 'server/src/demo/example-checkout.ts'],
    to: ['server/src/demo'],
    why: 'A later start loads these files, not the content of the demo shop.',
  },
  {
    from: ['cli', 'examples'],
    to: ['server', '@commerce-backend/server'],
    why: 'Customers reach the server through the SDK alone.',
  },
  {
    from: ['panel'],
    to: ['server', '@commerce-backend/server', 'cli/src/commands', 'cli/bin'],
    why: 'The panel reaches the server through the SDK, and shares only the formats and the import of the command line.',
  },
];

const ROOTS = ['server/src', 'sdk/src', 'cli/src', 'panel/src', 'examples'];
/** Matches import and export declarations and dynamic imports, including those of types. */
const IMPORT = /(?:^|\n)(?:import|export)\s(?:[^;'"]*?from )?'([^']+)'|\bimport\(\s*'([^']+)'/g;

export interface Import {
  file: string;
  /** A path from the repository's root, or a package name. */
  target: string;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      ({ name, parentPath }) =>
        /\.tsx?$/.test(name) && !/\.(?:test|short)\.ts$/.test(name) && !parentPath.includes('node_modules'),
    )
    .map(({ name, parentPath }) => join(parentPath, name));
}

export function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].map(([, from, dynamic]) => {
    const target = from ?? dynamic ?? '';
    return { file, target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target };
  });
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function floorMistakes({ file, target }: Import): string[] {
  return Object.entries(FLOORS).flatMap(([root, floors]) => {
    if (!within(file, root) || !within(target, root)) return [];
    const floorOf = (folder: string) => floors.findIndex((floor) => floor.includes(folder));
    const folderOf = (path: string) => {
      const [first = '', ...rest] = relative(root, path).split('/');
      return rest.length > 0 || floorOf(first) >= 0 ? first : '.';
    };
    const [own, other] = [folderOf(file), folderOf(target)];
    if (own === other) return [];
    for (const folder of [own, other]) {
      if (floorOf(folder) < 0) return [`${root}/${folder} has no floor: give it one in scripts/borders.ts.`];
    }
    return floorOf(other) < floorOf(own) ? [] : [`${file} imports ${target}: ${own} is not above ${other}.`];
  });
}

function borderMistakes({ file, target }: Import): string[] {
  return BORDERS.filter(
    ({ from, to }) => from.some((own) => within(file, own)) && to.some((other) => within(target, other)),
  ).map(({ why }) => `${file} imports ${target}: ${why}`);
}

/** Finds import cycles. Reports at least one cycle if there is any. */
function circles(imports: Import[]): string[] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) found.push(`Circle: ${[...path.slice(at), file].join(' → ')}`);
    if (at >= 0 || done.has(file)) return;
    for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return found;
}

/** Returns a line for each import that violates a rule, and for each import cycle, including imports of types. */
export function mistakesOf(imports: Import[]): string[] {
  return [...imports.flatMap((one) => [...floorMistakes(one), ...borderMistakes(one)]), ...circles(imports)];
}

/** Returns all imports in the sources of all packages. */
export function allImports(): Import[] {
  return ROOTS.flatMap(sourcesIn).flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
}
