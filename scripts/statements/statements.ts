import type * as Typescript from 'typescript';
import { eachChoice } from './choices.ts';
import { Interpreter } from './interpret.ts';
import { calleeName, placeOf, type Source, ts } from './program.ts';
import { isSql, Unresolved } from './syntax.ts';
import { openScope, render } from './values.ts';

/** A call that sends a statement. */
export interface Sent {
  place: string;
  texts: Text[];
  /** The reason why the statement's text is unknown. */
  unresolved?: string;
}

/** A possible text of a statement, with its declared row type. */
interface Text {
  text: string;
  claim: Typescript.TypeNode | undefined;
}

/**
 * Methods of Shop, SearchDb and pg.Client, and functions of db/connect.ts and db/transaction.ts, that send statements.
 */
const SENDERS = ['rows', 'one', 'query', 'queryAlone', 'run', 'write', 'sendUnheard'];

/** Files that only pass on statements. */
const PASSING = ['db/connect.ts', 'db/transaction.ts', 'shop/shop.ts'];

/** Maximum number of texts per statement. Most statements have one; those built from filters have hundreds. */
const MOST_TEXTS = 64;

/** Finds all statements in the server's sources by the calls that send them. */
export function sentStatements(source: Source): Sent[] {
  return SENDERS.flatMap((name) => source.callsOf(name)).flatMap((call) => {
    const { fileName } = call.getSourceFile();
    if (fileName.includes('/db/migrations/') || PASSING.some((file) => fileName.endsWith(`/src/${file}`))) return [];
    const statement = statementOf(source, call);
    return statement ? [follow(source, call, statement)] : [];
  });
}

function statementOf({ checker }: Source, call: Typescript.CallExpression): Typescript.Expression | undefined {
  const sql = call.arguments.find((argument) => isSql(checker.getTypeAtLocation(argument)));
  const [first] = call.arguments;
  if (sql || !first || calleeName(call) !== 'query') return sql;
  return checker.getTypeAtLocation(first).flags & ts.TypeFlags.StringLike ? first : undefined;
}

function follow(source: Source, call: Typescript.CallExpression, statement: Typescript.Expression): Sent {
  const place = placeOf(ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call);
  try {
    const found = eachChoice(MOST_TEXTS, (choices): Text => {
      const interpreter = new Interpreter(source, choices);
      const scope = openScope('');
      interpreter.conditions.reach(call, scope);
      const text = render(interpreter.statement(statement, scope));
      const claimed = call.typeArguments?.[0];
      const isNamed = claimed !== undefined && ts.isTypeReferenceNode(claimed);
      const parameter = isNamed ? source.checker.getSymbolAtLocation(claimed.typeName) : undefined;
      return { text, claim: (parameter && scope.types.get(parameter)) ?? claimed };
    });
    const texts = [...new Map(found.map((one) => [`${one.text} as ${one.claim?.getText()}`, one])).values()];
    return texts.length > 0 ? { place, texts } : { place, texts, unresolved: 'nothing leads to it' };
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return { place, texts: [], unresolved: error.message };
  }
}
