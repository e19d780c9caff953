import type * as Typescript from 'typescript';

/** The value of an expression, as far as it is known without running it. */
export type Value =
  | { kind: 'sql'; pieces: Piece[] }
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  /** `open` if there may be more, or fewer, elements than are known. */
  | { kind: 'list'; items: Value[]; open?: boolean }
  | { kind: 'object'; node: Typescript.ObjectLiteralExpression; scope: Scope }
  | { kind: 'function'; node: Typescript.SignatureDeclaration; scope: Scope }
  | { kind: 'unknown' };

/** A part of a statement's text; null stands for a parameter. */
export type Piece = string | null;

/** The argument for a parameter: an expression in the scope of its caller, or a value. */
export interface Binding {
  node: Typescript.Expression | undefined;
  scope: Scope;
  value?: Value;
}

/** A function call: the arguments, and the scope that the function was declared in. */
export interface Scope {
  id: string;
  outer: Scope | undefined;
  /** The function that was called. Undefined for the place of a statement, whose callers are chosen when they matter. */
  of: Typescript.Node | undefined;
  bindings: Map<Typescript.Node, Binding>;
  /** The type arguments of the caller. */
  types: Map<Typescript.Symbol, Typescript.TypeNode>;
}

export const UNKNOWN: Value = { kind: 'unknown' };
export const UNDEFINED: Value = { kind: 'literal', value: undefined };

export function literal(value: string | number | boolean | null | undefined): Value {
  return { kind: 'literal', value };
}

export function render(pieces: Piece[]): string {
  let values = 0;
  return pieces
    .map((piece) => {
      if (piece !== null) return piece;
      values += 1;
      return `$${values}`;
    })
    .join('');
}

export function openScope(id: string): Scope {
  return { id, outer: undefined, of: undefined, bindings: new Map(), types: new Map() };
}
