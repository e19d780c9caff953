import type * as Typescript from 'typescript';
import { Impossible } from './choices.ts';
import type { Interpreter } from './interpret.ts';
import { ts } from './program.ts';
import { returns } from './syntax.ts';
import { type Scope, UNDEFINED, UNKNOWN, type Value } from './values.ts';

/** Evaluates function bodies to their return values. */
export class Bodies {
  readonly #interpreter: Interpreter;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** Returns the value that the statements return; undefined if none of them returns. */
  run(statements: readonly Typescript.Statement[], scope: Scope): Value | undefined {
    for (const statement of statements) {
      const returned = this.#step(statement, scope);
      if (returned) return returned;
    }
    return undefined;
  }

  #step(statement: Typescript.Statement, scope: Scope): Value | undefined {
    if (ts.isReturnStatement(statement)) {
      return statement.expression ? this.#interpreter.evaluate(statement.expression, scope) : UNDEFINED;
    }
    if (ts.isThrowStatement(statement)) throw new Impossible();
    if (ts.isBlock(statement)) return this.run(statement.statements, scope);
    if (ts.isTryStatement(statement)) return this.run(statement.tryBlock.statements, scope);
    if (ts.isIfStatement(statement)) {
      if (!returns(statement)) return undefined;
      if (this.#interpreter.conditions.truth(statement.expression, scope))
        return this.#step(statement.thenStatement, scope);
      return statement.elseStatement && this.#step(statement.elseStatement, scope);
    }
    if (ts.isSwitchStatement(statement)) return this.#switch(statement, scope);
    return ts.isIterationStatement(statement, false) && returns(statement) ? UNKNOWN : undefined;
  }

  #switch({ expression, caseBlock: { clauses } }: Typescript.SwitchStatement, scope: Scope): Value | undefined {
    const value = this.#interpreter.conditions.settle(expression, scope);
    let at = clauses.findIndex((clause) => {
      if (!ts.isCaseClause(clause) || value.kind !== 'literal') return false;
      const of = this.#interpreter.evaluate(clause.expression, scope);
      return of.kind === 'literal' && of.value === value.value;
    });
    if (value.kind !== 'literal')
      at = this.#interpreter.choices.choose(this.#interpreter.conditions.key(expression, scope), clauses.length);
    if (at < 0) at = clauses.findIndex((clause) => ts.isDefaultClause(clause));
    return at < 0
      ? undefined
      : this.run(
          clauses.slice(at).flatMap((clause) => [...clause.statements]),
          scope,
        );
  }
}
