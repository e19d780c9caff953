import type * as Typescript from 'typescript';
import type { Interpreter } from './interpret.ts';
import { placeOf, ts } from './program.ts';
import { changesOf, enclosingFunction, mentionsSql, nameOfFunction } from './syntax.ts';
import { type Binding, openScope, type Scope, UNDEFINED, UNKNOWN, type Value } from './values.ts';

/**
 * Evaluates variables and parameters. Parameters of a function that sends a statement get their values from its
 * callers.
 */
export class Declarations {
  readonly #interpreter: Interpreter;

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter;
  }

  valueOf(declaration: Typescript.Node, scope: Scope): Value {
    if (ts.isFunctionDeclaration(declaration)) return { kind: 'function', node: declaration, scope };
    if (ts.isBindingElement(declaration)) return this.#destructured(declaration, scope);
    if (ts.isParameter(declaration)) return this.#parameter(declaration, scope);
    if (ts.isVariableDeclaration(declaration)) return this.#variable(declaration, scope);
    return UNKNOWN;
  }

  #variable(declaration: Typescript.VariableDeclaration, scope: Scope): Value {
    const bound = scope.bindings.get(declaration)?.value;
    if (bound) return bound;
    const loop = declaration.parent.parent;
    if (ts.isForOfStatement(loop)) {
      const list = this.#interpreter.evaluate(loop.expression, scope);
      return list.kind === 'list' ? (list.items[0] ?? UNKNOWN) : UNKNOWN;
    }
    let value: Value = declaration.initializer ? this.#interpreter.evaluate(declaration.initializer, scope) : UNDEFINED;
    const body = enclosingFunction(declaration)?.body;
    if (!body || !ts.isIdentifier(declaration.name)) return value;
    for (const { node, isRepeated } of changesOf(declaration.name.text, body)) {
      if (!this.#interpreter.conditions.happens(node, body, scope)) continue;
      if (!ts.isCallExpression(node)) {
        const isKnown = node.operatorToken.kind === ts.SyntaxKind.EqualsToken && (!isRepeated || value.kind === 'sql');
        // The new value may depend on the old one.
        const before = scope.bindings.get(declaration);
        scope.bindings.set(declaration, { node: undefined, scope, value });
        value = isKnown ? this.#interpreter.evaluate(node.right, scope) : UNKNOWN;
        if (before) scope.bindings.set(declaration, before);
        else scope.bindings.delete(declaration);
      } else if (value.kind === 'list') {
        const added = node.arguments.map((one) => this.#interpreter.items(one, scope));
        const items = [...value.items, ...added.flatMap((one) => one.items)];
        value = { kind: 'list', items, open: value.open || isRepeated || added.some(({ open }) => open) };
      }
    }
    return value;
  }

  #destructured(element: Typescript.BindingElement, scope: Scope): Value {
    const whole = element.parent.parent;
    const of = this.valueOf(whole, scope);
    const { name, propertyName, initializer, dotDotDotToken } = element;
    if (dotDotDotToken) {
      const at = element.parent.elements.indexOf(element);
      return of.kind === 'list' ? { kind: 'list', items: of.items.slice(at) } : of;
    }
    const value = ts.isArrayBindingPattern(element.parent)
      ? (of.kind === 'list' && of.items[element.parent.elements.indexOf(element)]) || UNKNOWN
      : this.#interpreter.get(of, (propertyName ?? name).getText());
    if (initializer && value.kind === 'literal' && value.value === undefined)
      return this.#interpreter.evaluate(initializer, scope);
    return value;
  }

  #parameter(parameter: Typescript.ParameterDeclaration, scope: Scope): Value {
    const bound = scope.bindings.get(parameter) ?? this.#fromCaller(parameter, scope);
    if (!bound) return UNKNOWN;
    if (bound.value) return bound.value;
    const value = bound.node ? this.#interpreter.evaluate(bound.node, bound.scope) : UNDEFINED;
    const isMissing = value.kind === 'literal' && value.value === undefined;
    return isMissing && parameter.initializer ? this.#interpreter.evaluate(parameter.initializer, scope) : value;
  }

  /** The caller's argument for a parameter that may contain SQL fragments. */
  #fromCaller(parameter: Typescript.ParameterDeclaration, scope: Scope): Binding | undefined {
    const { checker } = this.#interpreter.source;
    if (!mentionsSql(checker, checker.getTypeAtLocation(parameter))) return undefined;
    const called = parameter.parent;
    const calls = this.#callersOf(called);
    if (calls.length === 0) return undefined;
    const chosen = this.#interpreter.choices.choose(`caller of ${placeOf(called)} in ${scope.id}`, calls.length);
    const call = calls[chosen] as Typescript.CallExpression;
    const outside: Scope = openScope(`${scope.id} from ${placeOf(call)}:${call.pos}`);
    this.#interpreter.conditions.reach(call, outside);
    for (const [at, one] of called.parameters.entries()) {
      scope.bindings.set(one, { node: call.arguments[at], scope: outside });
    }
    for (const [at, one] of (called.typeParameters ?? []).entries()) {
      const given = call.typeArguments?.[at];
      const symbol = checker.getSymbolAtLocation(one.name);
      if (given && symbol) scope.types.set(symbol, given);
    }
    return scope.bindings.get(parameter);
  }

  #callersOf(called: Typescript.SignatureDeclaration): Typescript.CallExpression[] {
    const name = nameOfFunction(called);
    if (!name) return [];
    // Finds calls of a function. Callers may use a member of an object through an interface.
    const isMember = ts.isMethodDeclaration(called) || ts.isPropertyAssignment(called.parent);
    return this.#interpreter.source.callsOf(name).filter((call) => {
      const declaration = this.#interpreter.source.checker.getResolvedSignature(call)?.declaration;
      return declaration === called || (isMember && declaration !== undefined && isOfInterface(declaration));
    });
  }
}

function isOfInterface(declaration: Typescript.Node): boolean {
  return ts.isMethodSignature(declaration) || ts.isFunctionTypeNode(declaration);
}
