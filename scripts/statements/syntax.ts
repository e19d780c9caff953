import type * as Typescript from 'typescript';
import { placeOf, ts } from './program.ts';
import type { Scope } from './values.ts';

/** Thrown if a part of a statement cannot be evaluated. */
export class Unresolved extends Error {}

export function unresolved(node: Typescript.Node): Unresolved {
  const [line] = node.getText().split('\n');
  return new Unresolved(`cannot follow ${line?.slice(0, 80)} (${placeOf(node)})`);
}

/** Returns the innermost scope to which a declaration belongs. */
export function scopeOf(declaration: Typescript.Node, scope: Scope): Scope {
  for (let one = scope; ; one = one.outer) {
    if (!one.of || !one.outer || isWithin(declaration, one.of)) return one;
  }
}

function isWithin(node: Typescript.Node, outer: Typescript.Node): boolean {
  return node.getSourceFile() === outer.getSourceFile() && node.pos >= outer.pos && node.end <= outer.end;
}

type Wrapped =
  | Typescript.ParenthesizedExpression
  | Typescript.AsExpression
  | Typescript.SatisfiesExpression
  | Typescript.NonNullExpression
  | Typescript.AwaitExpression;

export function isWrapped(node: Typescript.Node): node is Wrapped {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  );
}

export function isOfTemplateTag(declaration: Typescript.Node): boolean {
  return declaration.getSourceFile().fileName.includes('/sql-template-tag/');
}

/** Whether the type is an SQL fragment or a union that includes one. */
export function isSql(type: Typescript.Type): boolean {
  const parts = type.isUnion() ? type.types : [type];
  return parts.some(({ symbol }) => symbol?.name === 'Sql');
}

const mentions = new WeakMap<Typescript.Type, boolean>();

/** Whether values of the type may contain or return an SQL fragment. */
export function mentionsSql(checker: Typescript.TypeChecker, type: Typescript.Type): boolean {
  const known = mentions.get(type);
  if (known !== undefined) return known;
  const seen = new Set<Typescript.Type>();
  const search = (one: Typescript.Type): boolean => {
    if (seen.has(one)) return false;
    seen.add(one);
    return isSql(one) || partsOf(checker, one).some(search);
  };
  const found = search(type);
  mentions.set(type, found);
  return found;
}

/**
 * Returns the types of a type's elements, properties and return values. Classes and types of packages are not
 * inspected.
 */
function partsOf(checker: Typescript.TypeChecker, type: Typescript.Type): readonly Typescript.Type[] {
  if (type.isUnionOrIntersection()) return type.types;
  if (checker.isArrayType(type) || checker.isTupleType(type) || type.symbol?.name === 'Promise') {
    return checker.getTypeArguments(type as Typescript.TypeReference);
  }
  const returned = type.getCallSignatures().map((signature) => signature.getReturnType());
  if (returned.length > 0 || !(type.flags & ts.TypeFlags.Object) || type.isClass()) return returned;
  const isOurs = type.symbol?.declarations?.every((one) => !one.getSourceFile().isDeclarationFile);
  const isMapped = ((type as Typescript.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0;
  return isOurs || isMapped ? type.getProperties().map((property) => checker.getTypeOfSymbol(property)) : [];
}

export function enclosingFunction(node: Typescript.Node): Typescript.FunctionLikeDeclaration | undefined {
  return ts.findAncestor(node, (one) => ts.isFunctionLike(one)) as Typescript.FunctionLikeDeclaration | undefined;
}

interface Change {
  node: Typescript.CallExpression | Typescript.BinaryExpression;
  /** Whether the change is inside a loop. */
  isRepeated: boolean;
}

const changes = new WeakMap<Typescript.Node, Map<string, Change[]>>();

/** Returns assignments to a variable or property, and calls that push elements to it. */
export function changesOf(name: string, body: Typescript.Node): Change[] {
  const known = changes.get(body) ?? changesByName(body);
  changes.set(body, known);
  return known.get(name) ?? [];
}

function changesByName(body: Typescript.Node): Map<string, Change[]> {
  const found = new Map<string, Change[]>();
  const visit = (node: Typescript.Node, isRepeated: boolean): void => {
    const changed = changedBy(node)?.getText();
    if (changed) found.set(changed, [...(found.get(changed) ?? []), { node: node as Change['node'], isRepeated }]);
    const repeats =
      isRepeated || ts.isIterationStatement(node, false) || (node !== body.parent && ts.isFunctionLike(node));
    ts.forEachChild(node, (child) => visit(child, repeats));
  };
  visit(body, false);
  return found;
}

/** Returns the variable or property that a node changes, by assignment or push. */
function changedBy(node: Typescript.Node): Typescript.Expression | undefined {
  if (ts.isBinaryExpression(node)) return isAssignment(node.operatorToken.kind) ? node.left : undefined;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  return node.expression.name.text === 'push' ? node.expression.expression : undefined;
}

function isAssignment(operator: Typescript.SyntaxKind): boolean {
  return operator >= ts.SyntaxKind.FirstAssignment && operator <= ts.SyntaxKind.LastAssignment;
}

/** Whether a statement may return from its function or throw. */
export function returns(statement: Typescript.Node): boolean {
  if (ts.isReturnStatement(statement) || ts.isThrowStatement(statement)) return true;
  if (ts.isFunctionLike(statement)) return false;
  return ts.forEachChild(statement, (child) => returns(child) || undefined) ?? false;
}

/** Whether a statement ends with a return or a throw. */
export function ends(statement: Typescript.Statement): boolean {
  const last = ts.isBlock(statement) ? statement.statements.at(-1) : statement;
  return last !== undefined && (ts.isReturnStatement(last) || ts.isThrowStatement(last));
}

export function nameOfFunction(called: Typescript.SignatureDeclaration): string | undefined {
  if (called.name) return called.name.getText();
  const { parent } = called;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  return undefined;
}

export function nameOf(name: Typescript.PropertyName): string {
  return ts.isStringLiteralLike(name) || ts.isNumericLiteral(name) ? name.text : name.getText();
}
