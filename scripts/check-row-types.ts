/**
 * Compares declared row types, as in `shop.rows<{ id: string }>(…)`, with the columns that PostgreSQL returned during
 * the tests: names, types, and whether null occurred. Run it after the tests. Fails with a line for each wrong type.
 * check-statements.ts, which needs no tests, cannot check statements that it cannot evaluate, or null in expressions
 * and outer joins.
 */

import { join } from 'node:path';
import type * as Typescript from 'typescript';
import { readObserved } from '../server/test/observed-rows.ts';
import { Claims } from './statements/claims.ts';
import { calleeName, placeOf, SERVER, Source, ts } from './statements/program.ts';

const source = new Source(join(SERVER, 'src/main.ts'));
const compared = new Claims(source);
const observed = readObserved();
const mistakes: string[] = [];
let claims = 0;
let unseen = 0;
for (const file of source.files) visit(file);
// Fails if the tests observed too few statements. Backups and commands run in other processes, so some are never
// observed.
if (unseen > claims / 10)
  mistakes.push(`Only ${claims - unseen} of ${claims} claims were observed: run npm test as a whole.`);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) {
  console.error(`Row types: ${claims} claims, ${unseen} of statements that no test sent, ${mistakes.length} mistakes.`);
  process.exitCode = 1;
}

function visit(node: Typescript.Node): void {
  if (ts.isCallExpression(node) && node.typeArguments?.length === 1) {
    const name = calleeName(node);
    if (name && ['rows', 'one', 'query'].includes(name)) judge(node.typeArguments[0] as Typescript.TypeNode, node);
  }
  ts.forEachChild(node, visit);
}

function judge(claim: Typescript.TypeNode, { expression }: Typescript.CallExpression): void {
  claims += 1;
  const place = placeOf(ts.isPropertyAccessExpression(expression) ? expression.name : expression);
  const sets = observed.get(place.replace('server/src/', ''));
  if (!sets) {
    unseen += 1;
    return;
  }
  const type = source.checker.getTypeFromTypeNode(claim);
  // A type that depends on a type parameter is checked at each place where the parameter is known.
  if (compared.isOpen(type)) return;
  const said = new Set(sets.flatMap((columns) => compared.compare(type, columns)));
  mistakes.push(...[...said].map((what) => `${place}: ${what}`));
}
