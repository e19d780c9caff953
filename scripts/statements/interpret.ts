import type * as Typescript from 'typescript';
import { Bodies } from './bodies.ts';
import { Builtins, LIST_METHODS } from './builtins.ts';
import { type Choices, Impossible } from './choices.ts';
import { Conditions, isComparison } from './conditions.ts';
import { Declarations } from './declarations.ts';
import { calleeName, type Source, ts } from './program.ts';
import { changesOf, isOfTemplateTag, isSql, isWrapped, mentionsSql, nameOf, scopeOf, unresolved } from './syntax.ts';
import { type Binding, literal, type Piece, render, type Scope, UNDEFINED, UNKNOWN, type Value } from './values.ts';

const DEEPEST = 60;

/** Evaluates expressions to statement texts. `Choices` decides conditions that depend on the request. */
export class Interpreter {
  readonly source: Source;
  readonly choices: Choices;
  readonly conditions = new Conditions(this);
  readonly #declarations = new Declarations(this);
  readonly #bodies = new Bodies(this);
  readonly #builtins = new Builtins(this);
  #depth = 0;

  constructor(source: Source, choices: Choices) {
    this.source = source;
    this.choices = choices;
  }

  /** The text of a statement given as `sql` template or string. */
  statement(node: Typescript.Expression, scope: Scope): Piece[] {
    const value = this.evaluate(node, scope);
    if (value.kind === 'sql') return value.pieces;
    if (value.kind === 'literal' && typeof value.value === 'string') return [value.value];
    if (value.kind === 'literal' && value.value === undefined) throw new Impossible();
    throw unresolved(node);
  }

  evaluate(node: Typescript.Expression, scope: Scope): Value {
    if (this.#depth > DEEPEST) throw new Impossible();
    this.#depth += 1;
    try {
      return this.#evaluate(node, scope);
    } finally {
      this.#depth -= 1;
    }
  }

  #evaluate(node: Typescript.Expression, scope: Scope): Value {
    if (isWrapped(node)) return this.evaluate(node.expression, scope);
    if (ts.isTaggedTemplateExpression(node)) {
      return node.tag.getText() === 'sql' ? this.#template(node.template, scope) : UNKNOWN;
    }
    if (ts.isStringLiteralLike(node)) return literal(node.text);
    if (ts.isNumericLiteral(node)) return literal(Number(node.text));
    if (node.kind === ts.SyntaxKind.TrueKeyword) return literal(true);
    if (node.kind === ts.SyntaxKind.FalseKeyword) return literal(false);
    if (node.kind === ts.SyntaxKind.NullKeyword) return literal(null);
    if (ts.isTemplateExpression(node)) return this.#string(node, scope);
    if (ts.isConditionalExpression(node)) {
      return this.evaluate(this.conditions.truth(node.condition, scope) ? node.whenTrue : node.whenFalse, scope);
    }
    if (ts.isBinaryExpression(node)) return this.#binary(node, scope);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      return literal(!this.conditions.truth(node.operand, scope));
    }
    if (ts.isIdentifier(node)) return this.#named(node, scope);
    if (ts.isPropertyAccessExpression(node)) return this.#property(node, scope);
    if (ts.isElementAccessExpression(node)) return this.#element(node, scope);
    if (ts.isArrayLiteralExpression(node)) return this.#array(node, scope);
    if (ts.isObjectLiteralExpression(node)) return { kind: 'object', node, scope };
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return { kind: 'function', node, scope };
    if (ts.isCallExpression(node)) return this.#called(node, scope);
    return UNKNOWN;
  }

  #template(template: Typescript.TemplateLiteral, scope: Scope): Value {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return { kind: 'sql', pieces: [template.text] };
    const pieces: Piece[] = [template.head.text];
    for (const { expression, literal: after } of template.templateSpans) {
      pieces.push(...this.#interpolated(expression, scope), after.text);
    }
    return { kind: 'sql', pieces };
  }

  #interpolated(node: Typescript.Expression, scope: Scope): Piece[] {
    const type = this.source.checker.getTypeAtLocation(node);
    if (!isSql(type)) return [null];
    const value = this.evaluate(node, scope);
    if (value.kind === 'sql') return value.pieces;
    if (value.kind === 'literal' || type.isUnion()) return [null];
    throw unresolved(node);
  }

  #string(node: Typescript.TemplateExpression, scope: Scope): Value {
    let text = node.head.text;
    for (const { expression, literal: after } of node.templateSpans) {
      const value = this.evaluate(expression, scope);
      if (value.kind !== 'literal') return UNKNOWN;
      text += `${value.value}${after.text}`;
    }
    return literal(text);
  }

  #binary(node: Typescript.BinaryExpression, scope: Scope): Value {
    const { left, right, operatorToken } = node;
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
      const value = this.evaluate(left, scope);
      if (value.kind === 'literal') return value.value == null ? this.evaluate(right, scope) : value;
      if (value.kind !== 'unknown') return value;
      return this.conditions.isDefined(left, scope) ? UNKNOWN : this.evaluate(right, scope);
    }
    if (
      operatorToken.kind === ts.SyntaxKind.BarBarToken ||
      operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
    ) {
      const goesOn =
        this.conditions.truth(left, scope) === (operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken);
      return this.evaluate(goesOn ? right : left, scope);
    }
    if (operatorToken.kind === ts.SyntaxKind.PlusToken) {
      const [one, other] = [this.evaluate(left, scope), this.evaluate(right, scope)];
      if (one.kind !== 'literal' || other.kind !== 'literal') return UNKNOWN;
      return typeof one.value === 'string' || typeof other.value === 'string'
        ? literal(`${one.value}${other.value}`)
        : literal(Number(one.value) + Number(other.value));
    }
    return isComparison(operatorToken.kind) ? literal(this.conditions.truth(node, scope)) : UNKNOWN;
  }

  #named(node: Typescript.Identifier, scope: Scope): Value {
    if (node.text === 'undefined') return UNDEFINED;
    const symbol = this.source.symbolOf(node);
    return symbol ? this.#ofSymbol(symbol, scope) : UNKNOWN;
  }

  #ofSymbol(symbol: Typescript.Symbol, scope: Scope): Value {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    if (!declaration) return UNKNOWN;
    if (symbol.name === 'empty' && isOfTemplateTag(declaration)) return { kind: 'sql', pieces: [] };
    if (declaration.getSourceFile().isDeclarationFile) return UNKNOWN;
    return this.#declarations.valueOf(declaration, scopeOf(declaration, scope));
  }

  #property(node: Typescript.PropertyAccessExpression, scope: Scope): Value {
    const symbol = this.source.symbolOf(node);
    const declaration = symbol?.valueDeclaration;
    if (symbol && declaration && (ts.isFunctionDeclaration(declaration) || ts.isVariableDeclaration(declaration))) {
      return this.#ofSymbol(symbol, scope);
    }
    const of = this.evaluate(node.expression, scope);
    if (of.kind === 'list') return node.name.text === 'length' && !of.open ? literal(of.items.length) : UNKNOWN;
    const value = this.get(of, node.name.text);
    // The value of a property is unknown if its file assigns it again.
    const mayChange = value.kind === 'literal' || value.kind === 'list';
    return mayChange && changesOf(node.getText(), node.getSourceFile()).length > 0 ? UNKNOWN : value;
  }

  #element(node: Typescript.ElementAccessExpression, scope: Scope): Value {
    const of = this.evaluate(node.expression, scope);
    if (of.kind !== 'object' && of.kind !== 'list') return UNKNOWN;
    const key = this.conditions.settle(node.argumentExpression, scope);
    if (of.kind === 'list') return (key.kind === 'literal' && of.items[Number(key.value)]) || UNKNOWN;
    if (key.kind === 'literal') return this.get(of, String(key.value));
    const values = this.entries(of);
    const at = this.choices.choose(this.conditions.key(node.argumentExpression, scope), values.length);
    return values[at]?.[1] ?? UNKNOWN;
  }

  get(of: Value, name: string): Value {
    if (of.kind === 'sql' && name === 'text') return literal(render(of.pieces));
    if (of.kind !== 'object') return UNKNOWN;
    for (const property of [...of.node.properties].reverse()) {
      if (ts.isSpreadAssignment(property)) {
        const value = this.get(this.evaluate(property.expression, of.scope), name);
        if (value.kind !== 'literal' || value.value !== undefined) return value;
      } else if (property.name && nameOf(property.name) === name) return this.#valueOfProperty(property, of.scope);
    }
    return UNDEFINED;
  }

  #valueOfProperty(property: Typescript.ObjectLiteralElementLike, scope: Scope): Value {
    if (ts.isPropertyAssignment(property)) return this.evaluate(property.initializer, scope);
    if (ts.isMethodDeclaration(property)) return { kind: 'function', node: property, scope };
    if (!ts.isShorthandPropertyAssignment(property)) return UNKNOWN;
    const symbol = this.source.checker.getShorthandAssignmentValueSymbol(property);
    if (!symbol) return UNKNOWN;
    const isAlias = symbol.flags & ts.SymbolFlags.Alias;
    return this.#ofSymbol(isAlias ? this.source.checker.getAliasedSymbol(symbol) : symbol, scope);
  }

  entries(of: Value & { kind: 'object' }): [string, Value][] {
    return of.node.properties.flatMap((property): [string, Value][] => {
      if (ts.isSpreadAssignment(property)) {
        const spread = this.evaluate(property.expression, of.scope);
        return spread.kind === 'object' ? this.entries(spread) : [];
      }
      return property.name ? [[nameOf(property.name), this.#valueOfProperty(property, of.scope)]] : [];
    });
  }

  #array(node: Typescript.ArrayLiteralExpression, scope: Scope): Value {
    const parts = node.elements.map((element) => this.items(element, scope));
    return { kind: 'list', items: parts.flatMap(({ items }) => items), open: parts.some(({ open }) => open) };
  }

  items(element: Typescript.Expression, scope: Scope): { items: Value[]; open?: boolean } {
    if (!ts.isSpreadElement(element)) return { items: [this.evaluate(element, scope)] };
    const spread = this.evaluate(element.expression, scope);
    if (spread.kind === 'list') return spread;
    const { checker } = this.source;
    if (mentionsSql(checker, checker.getTypeAtLocation(element.expression))) throw unresolved(element);
    return { items: [UNKNOWN], open: true };
  }

  #called(node: Typescript.CallExpression, scope: Scope): Value {
    const { expression: callee } = node;
    const name = calleeName(node) ?? '';
    const declaration = this.source.checker.getResolvedSignature(node)?.declaration;
    if (declaration && isOfTemplateTag(declaration)) return this.#builtins.ofTemplateTag(name, node, scope);
    if (ts.isPropertyAccessExpression(callee)) {
      if (callee.expression.getText() === 'Object') return this.#builtins.ofObject(name, node, scope);
      if (LIST_METHODS.has(name)) {
        const of = this.evaluate(callee.expression, scope);
        return this.#builtins.ofList(of, name, node, scope);
      }
    }
    const { checker } = this.source;
    const type = checker.getTypeAtLocation(node);
    if (!mentionsSql(checker, type) && !(type.flags & ts.TypeFlags.StringLike)) return UNKNOWN;
    const called = this.evaluate(callee, scope);
    const args = node.arguments.map((argument): Binding => ({ node: argument, scope }));
    const id = `${scope.id}>${node.getSourceFile().fileName.length}.${node.end}`;
    if (called.kind === 'function') return this.call(called, args, id);
    return UNKNOWN;
  }

  call({ node, scope }: Value & { kind: 'function' }, args: Binding[], id: string): Value {
    const { body } = node as Typescript.FunctionLikeDeclaration;
    if (!body) return UNKNOWN;
    const inner: Scope = { id, outer: scope, of: node, bindings: new Map(), types: new Map() };
    for (const [at, parameter] of node.parameters.entries()) {
      if (parameter.dotDotDotToken) {
        const items = args
          .slice(at)
          .map((one) => one.value ?? (one.node ? this.evaluate(one.node, one.scope) : UNKNOWN));
        inner.bindings.set(parameter, { node: undefined, scope, value: { kind: 'list', items } });
      } else inner.bindings.set(parameter, args[at] ?? { node: undefined, scope });
    }
    if (!ts.isBlock(body)) return this.evaluate(body as Typescript.Expression, inner);
    return this.#bodies.run(body.statements, inner) ?? UNDEFINED;
  }
}
