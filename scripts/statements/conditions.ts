import type * as Typescript from 'typescript';
import { Impossible } from './choices.ts';
import type { Interpreter } from './interpret.ts';
import { placeOf, ts } from './program.ts';
import { ends, isWrapped, scopeOf } from './syntax.ts';
import { literal, type Scope, UNKNOWN, type Value } from './values.ts';

/** Evaluates conditions. Within a combination of choices, equal conditions have equal results. */
export class Conditions {
  readonly #interpreter: Interpreter;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  /** Whether a condition is true. `wanted` is the result if the code does not determine it. */
  truth(node: Typescript.Expression, scope: Scope, wanted?: boolean): boolean {
    if (isWrapped(node)) return this.truth(node.expression, scope, wanted);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      return !this.truth(node.operand, scope, wanted === undefined ? undefined : !wanted);
    }
    if (ts.isBinaryExpression(node)) {
      const { left, right, operatorToken } = node;
      switch (operatorToken.kind) {
        case ts.SyntaxKind.AmpersandAmpersandToken:
          return this.truth(left, scope, wanted || undefined) && this.truth(right, scope, wanted || undefined);
        case ts.SyntaxKind.BarBarToken:
          return this.truth(left, scope, wanted && undefined) || this.truth(right, scope, wanted && undefined);
        case ts.SyntaxKind.EqualsEqualsEqualsToken:
          return this.#equal(left, right, scope, wanted);
        case ts.SyntaxKind.ExclamationEqualsEqualsToken:
          return !this.#equal(left, right, scope, wanted === undefined ? undefined : !wanted);
      }
      if (COMPARED.has(operatorToken.kind)) return this.#compare(node, scope, wanted);
    }
    const value = this.settle(node, scope, wanted);
    if (value.kind === 'literal') return Boolean(value.value);
    if (value.kind !== 'unknown') return true;
    return this.isDefined(node, scope, wanted);
  }

  #equal(left: Typescript.Expression, right: Typescript.Expression, scope: Scope, wanted?: boolean): boolean {
    const [one, other] = [this.settle(left, scope), this.settle(right, scope)];
    if (one.kind === 'literal' && other.kind === 'literal') return one.value === other.value;
    if (other.kind === 'literal' && other.value == null) {
      if (one.kind !== 'unknown') return false;
      return !this.isDefined(left, scope, wanted === undefined ? undefined : !wanted);
    }
    return this.decide(`${this.key(left, scope)} === ${this.key(right, scope)}`, wanted);
  }

  #compare(node: Typescript.BinaryExpression, scope: Scope, wanted?: boolean): boolean {
    const [one, other] = [this.#interpreter.evaluate(node.left, scope), this.#interpreter.evaluate(node.right, scope)];
    if (one.kind === 'literal' && other.kind === 'literal') {
      const [a, b] = [Number(one.value), Number(other.value)];
      const operator = node.operatorToken.kind;
      if (operator === ts.SyntaxKind.GreaterThanToken) return a > b;
      if (operator === ts.SyntaxKind.LessThanToken) return a < b;
      return operator === ts.SyntaxKind.GreaterThanEqualsToken ? a >= b : a <= b;
    }
    return this.decide(this.key(node, scope), wanted);
  }

  isDefined(node: Typescript.Expression, scope: Scope, wanted?: boolean): boolean {
    return this.decide(`is ${this.key(node, scope)}`, wanted);
  }

  decide(key: string, wanted?: boolean): boolean {
    if (wanted !== undefined) this.#interpreter.choices.assume(key, wanted ? 0 : 1);
    return this.#interpreter.choices.choose(key, 2) === 0;
  }

  /**
   * Returns the value of an expression. If it is unknown and its type has few values, such as `'asc' | 'desc'`, chooses
   * one.
   */
  settle(node: Typescript.Expression, scope: Scope, wanted?: boolean): Value {
    const value = this.#interpreter.evaluate(node, scope);
    if (value.kind !== 'unknown') return value;
    const options = this.#literalsOf(node);
    if (options.length === 0) return UNKNOWN;
    const key = this.key(node, scope);
    if (wanted !== undefined)
      this.#interpreter.choices.assume(
        key,
        options.findIndex((one) => Boolean(one) === wanted),
      );
    return literal(options[this.#interpreter.choices.choose(key, options.length)]);
  }

  #literalsOf(node: Typescript.Expression): (string | number | boolean | null | undefined)[] {
    // The declared type, because the narrowed one may have fewer options in other places.
    const symbol = this.#interpreter.source.symbolOf(ts.isPropertyAccessExpression(node) ? node.name : node);
    const type = symbol
      ? this.#interpreter.source.checker.getTypeOfSymbol(symbol)
      : this.#interpreter.source.checker.getTypeAtLocation(node);
    const constraint = this.#interpreter.source.checker.getBaseConstraintOfType(type) ?? type;
    const parts = constraint.isUnion() ? constraint.types : [constraint];
    if (parts.length > 12) return [];
    const found = parts.map((part) => {
      if (part.isStringLiteral() || part.isNumberLiteral()) return { value: part.value };
      if (part.flags & ts.TypeFlags.BooleanLiteral)
        return { value: this.#interpreter.source.checker.typeToString(part) === 'true' };
      if (part.flags & ts.TypeFlags.Undefined) return { value: undefined };
      return part.flags & ts.TypeFlags.Null ? { value: null } : undefined;
    });
    if (found.includes(undefined)) return [];
    return found
      .flatMap((one) => (one ? [one.value] : []))
      .sort((a, b) => Number(a == null) - Number(b == null) || Number(b === true) - Number(a === true));
  }

  /**
   * Adds to the scope the conditions under which `node` is reached: the enclosing conditions hold, and no earlier guard
   * returned. Throws `Impossible` if they contradict earlier conditions of the scope.
   */
  reach(node: Typescript.Node, scope: Scope): void {
    const { parent } = node;
    if (!parent || ts.isFunctionLike(node)) return;
    if (ts.isBlock(parent)) {
      for (const before of parent.statements) {
        if (before === node) break;
        if (ts.isIfStatement(before) && !before.elseStatement && ends(before.thenStatement)) {
          this.#assume(before.expression, scope, false);
        }
      }
    }
    if (ts.isIfStatement(parent) && node !== parent.expression) {
      this.#assume(parent.expression, scope, node === parent.thenStatement);
    }
    if (ts.isConditionalExpression(parent) && node !== parent.condition) {
      this.#assume(parent.condition, scope, node === parent.whenTrue);
    }
    this.reach(parent, scope);
  }

  #assume(node: Typescript.Expression, scope: Scope, holds: boolean): void {
    if (this.truth(node, scope, holds) !== holds) throw new Impossible();
  }

  /** Whether all conditions between a node and an outer node are true. */
  happens(node: Typescript.Node, within: Typescript.Node, scope: Scope): boolean {
    if (node === within) return true;
    const { parent } = node;
    if (!this.happens(parent, within, scope)) return false;
    if (!ts.isIfStatement(parent) || node === parent.expression) return true;
    return this.truth(parent.expression, scope) === (node === parent.thenStatement);
  }

  /** Returns a name for an expression's value. Expressions with the same name have the same value. */
  key(node: Typescript.Node, scope: Scope): string {
    if (isWrapped(node)) return this.key(node.expression, scope);
    if (ts.isPropertyAccessExpression(node)) return `${this.key(node.expression, scope)}.${node.name.text}`;
    if (ts.isBinaryExpression(node)) {
      return `${this.key(node.left, scope)} ${node.operatorToken.getText()} ${this.key(node.right, scope)}`;
    }
    if (ts.isCallExpression(node)) {
      return `${this.key(node.expression, scope)}(${node.arguments.map((one) => this.key(one, scope)).join()})`;
    }
    if (!ts.isIdentifier(node)) return ts.isLiteralExpression(node) ? node.text : `${node.getText()} in ${scope.id}`;
    const declaration = this.#interpreter.source.symbolOf(node)?.valueDeclaration;
    if (!declaration) return node.text;
    return this.#keyOfDeclaration(declaration, scopeOf(declaration, scope));
  }

  #keyOfDeclaration(declaration: Typescript.Node, scope: Scope): string {
    if (ts.isBindingElement(declaration)) {
      const name = (declaration.propertyName ?? declaration.name).getText();
      return `${this.#keyOfDeclaration(declaration.parent.parent, scope)}.${name}`;
    }
    const given = ts.isParameter(declaration) ? scope.bindings.get(declaration) : undefined;
    if (given?.node) return this.key(given.node, given.scope);
    const initializer = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
    if (initializer && (ts.isIdentifier(initializer) || ts.isPropertyAccessExpression(initializer))) {
      return this.key(initializer, scope);
    }
    return `${placeOf(declaration)}:${declaration.pos} in ${scope.id}`;
  }
}

const COMPARED = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
  ts.SyntaxKind.LessThanEqualsToken,
]);

export function isComparison(operator: Typescript.SyntaxKind): boolean {
  return COMPARED.has(operator);
}
