import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type * as Typescript from 'typescript';
import { type ObservedColumn, readObserved } from '../server/test/observed-rows.ts';

/**
 * Compares the row types that the source claims, as in `shop.rows<{ id: string }>(…)`, with the columns that occurred while the
 * tests ran: names, types, and whether null occurred. Run it after the tests; it fails with a line for each claim that is not
 * true.
 */
const ROOT = join(import.meta.dirname, '../server');
// TypeScript 7 has no compiler API; spec/ has the 5.9 that its generator needs.
const ts = createRequire(join(ROOT, '../spec/package.json'))('typescript') as typeof Typescript;

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'bytes' | 'any';

/** What `pg` makes of PostgreSQL's types, with the parsers of db/connect.ts. */
const KINDS: Record<number, Kind> = {
  ...kinds('string', [18, 19, 25, 1043, 1700, 2950, 1184, 869]),
  ...kinds('number', [20, 21, 23, 26, 700, 701]),
  ...kinds('boolean', [16]),
  ...kinds('bytes', [17]),
  ...kinds('any', [114, 3802]),
};

function kinds(kind: Kind, types: number[]): Record<number, Kind> {
  return Object.fromEntries(types.map((type) => [type, kind]));
}

/** Columns that a statement has for their side effect, not for their value. */
const EFFECTS = ['?column?', 'set_config'];

const program = createProgram();
const checker = program.getTypeChecker();
const observed = readObserved();
const mistakes: string[] = [];
let claims = 0;
let unseen = 0;
for (const file of program.getSourceFiles()) {
  const path = relative(join(ROOT, 'src'), file.fileName);
  if (!path.startsWith('..') && !path.endsWith('.test.ts')) visit(file, file, path);
}
// So that a run that observed next to nothing does not pass. Backups and commands send their statements in processes of their
// own.
if (unseen > claims / 10)
  mistakes.push(`Only ${claims - unseen} of ${claims} claims were observed: run npm test as a whole.`);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) {
  console.error(`Row types: ${claims} claims, ${unseen} of statements that no test sent, ${mistakes.length} mistakes.`);
  process.exitCode = 1;
}

function createProgram(): Typescript.Program {
  const config = ts.readConfigFile(join(ROOT, '../tsconfig.base.json'), ts.sys.readFile).config as object;
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: ['src/main.ts'] }, ts.sys, ROOT);
  return ts.createProgram([join(ROOT, 'src/main.ts')], { ...options, noEmit: true, skipLibCheck: true });
}

function visit(node: Typescript.Node, file: Typescript.SourceFile, path: string): void {
  if (ts.isCallExpression(node) && node.typeArguments?.length === 1) {
    const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
    if (['rows', 'one', 'query'].includes(name.getText(file)))
      judge(node.typeArguments[0] as Typescript.TypeNode, name, file, path);
  }
  ts.forEachChild(node, (child) => visit(child, file, path));
}

function judge(claim: Typescript.TypeNode, at: Typescript.Node, file: Typescript.SourceFile, path: string): void {
  claims += 1;
  const place = `${path}:${file.getLineAndCharacterOfPosition(at.getStart(file)).line + 1}`;
  const sets = observed.get(place);
  if (!sets) {
    unseen += 1;
    return;
  }
  const type = checker.getTypeFromTypeNode(claim);
  // A type that depends on a type parameter is checked where the parameter is given.
  if (type.flags & ts.TypeFlags.IndexedAccess || type.flags & ts.TypeFlags.TypeParameter) return;
  const said = new Set(sets.flatMap((columns) => compare(type, columns)));
  mistakes.push(...[...said].map((what) => `server/src/${place}: ${what}`));
}

function compare(type: Typescript.Type, columns: ObservedColumn[]): string[] {
  const claimed = new Map(checker.getPropertiesOfType(type).map((property) => [property.name, property]));
  const names = new Set(columns.map(({ name }) => name));
  const missing = [...claimed.values()]
    .filter(({ name, flags }) => !names.has(name) && !(flags & ts.SymbolFlags.Optional))
    .map(({ name }) => `claims ${name}, which is not among the columns`);
  return [...missing, ...columns.flatMap((column) => compareColumn(claimed.get(column.name), column))];
}

function compareColumn(
  property: Typescript.Symbol | undefined,
  { name, type, null: wasNull }: ObservedColumn,
): string[] {
  if (!property) return EFFECTS.includes(name) ? [] : [`does not claim the column ${name}`];
  const claimed = checker.getTypeOfSymbol(property);
  const parts = claimed.isUnion() ? claimed.types : [claimed];
  const found: string[] = [];
  if (wasNull && !parts.some(({ flags }) => flags & (ts.TypeFlags.Null | ts.TypeFlags.Any | ts.TypeFlags.Unknown))) {
    found.push(`claims that ${name} is never null`);
  }
  const kind = KINDS[type] ?? (checker.isArrayType(claimed) ? 'array' : undefined);
  const solid = parts.filter(({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
  if (kind && solid.some((part) => !isOfKind(part, kind))) {
    found.push(
      `claims ${checker.typeToString(claimed)} for ${name}, of which PostgreSQL's type (${type}) makes ${kind}`,
    );
  }
  return found;
}

function isOfKind(type: Typescript.Type, kind: Kind): boolean {
  const { flags } = type;
  if (kind === 'any' || flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
  if (kind === 'string') return (flags & ts.TypeFlags.StringLike) !== 0 || type.isIntersection();
  if (kind === 'number') return (flags & ts.TypeFlags.NumberLike) !== 0;
  if (kind === 'boolean') return (flags & ts.TypeFlags.BooleanLike) !== 0;
  return (flags & ts.TypeFlags.Object) !== 0;
}
