/**
 * Who may import whom. Fails with a line for each import that crosses a border upwards or sideways, and for each circle of
 * imports, of types, too. `npm run check` runs it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Folders from the lowest floor to the highest; a floor is imported by those above it alone, never by its neighbours. */
const FLOORS: Record<string, string[][]> = {
  'server/src/shop': [
    ['.'],
    ['passwords'],
    ['products', 'stock', 'webhooks'],
    ['catalog'],
    ['discounts', 'mandates'],
    ['carts'],
    ['shipping'],
    ['orders'],
    ['customers', 'payments'],
    ['account', 'merchant'],
    ['mails'],
    ['checkout'],
    ['agents', 'integrations'],
  ],
  'server/src/http': [['contract'], ['callers'], ['pipeline'], ['operators']],
  'server/src/pages': [['parts'], ['account', 'checkout', 'order', 'agent-consent', 'docs'], ['.']],
  'server/src/search': [['.'], ['words'], ['index'], ['query'], ['rank']],
};

interface Border {
  from: string[];
  /** Folders, files or packages. */
  to: string[];
  why: string;
}

const SURFACES = ['dashboard', 'storefront', 'sync', 'agent'].map((name) => `server/src/${name}`);

const BORDERS: Border[] = [
  ...SURFACES.map((surface) => ({
    from: [surface],
    to: SURFACES.filter((other) => other !== surface),
    why: 'Surfaces do not know one another.',
  })),
  { from: SURFACES, to: ['express'], why: 'A surface sees validated calls, not requests.' },
  { from: SURFACES, to: ['knex', 'pg', 'sql-template-tag', 'server/src/db'], why: 'SQL belongs to the shop.' },
  {
    from: ['server/src/shop', 'server/src/search'],
    to: ['express', 'server/src/http', 'server/src/pages'],
    why: 'The shop knows nothing of HTTP.',
  },
  {
    from: ['server/src/search'],
    to: ['server/src/shop', 'server/src/jobs'],
    why: 'The shop hands the search what it needs of products.',
  },
  {
    from: ['server/src/shop', 'server/src/search', 'server/src/http', 'server/src/db'],
    to: SURFACES,
    why: 'Only the app knows the surfaces.',
  },
  {
    from: ['server/src/db'],
    to: ['server/src/http', 'server/src/shop', 'server/src/pages', 'server/src/jobs'],
    why: 'The database knows nothing of what is kept in it.',
  },
  {
    from: ['cli', 'examples'],
    to: ['server', '@commerce-backend/server'],
    why: 'Customers reach the server through the SDK alone.',
  },
];

const ROOTS = ['server/src', 'sdk/src', 'cli/src', 'examples'];
const IMPORT = /(?:^|\n)(?:import|export)\s[^;'"]*?from '([^']+)'|\bimport\('([^']+)'\)/g;

interface Import {
  file: string;
  /** A path from the top of the repository, or the name of a package. */
  target: string;
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      ({ name, parentPath }) =>
        name.endsWith('.ts') && !/\.(?:test|short)\.ts$/.test(name) && !parentPath.includes('node_modules'),
    )
    .map(({ name, parentPath }) => join(parentPath, name));
}

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, from, dynamic]) => {
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
    const folderOf = (path: string) => relative(root, dirname(path)).split('/')[0] || '.';
    const [own, other] = [folderOf(file), folderOf(target)];
    if (own === other) return [];
    const floorOf = (folder: string) => floors.findIndex((floor) => floor.includes(folder));
    for (const folder of [own, other]) {
      if (floorOf(folder) < 0) return [`${root}/${folder} has no floor: give it one in scripts/check-borders.ts.`];
    }
    return floorOf(other) < floorOf(own) ? [] : [`${file} imports ${target}: ${own} is not above ${other}.`];
  });
}

function borderMistakes({ file, target }: Import): string[] {
  return BORDERS.filter(
    ({ from, to }) => from.some((own) => within(file, own)) && to.some((other) => within(target, other)),
  ).map(({ why }) => `${file} imports ${target}: ${why}`);
}

/** A circle through each file that stands in one, told once. */
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

const imports = ROOTS.flatMap(sourcesIn).flatMap(importsOf);
const mistakes = [...imports.flatMap((one) => [...floorMistakes(one), ...borderMistakes(one)]), ...circles(imports)];
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
