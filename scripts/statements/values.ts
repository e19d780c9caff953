import type * as Typescript from 'typescript';

/** The value of an expression, as far as it is known without running the code. */
export type Value =
  | { kind: 'sql'; pieces: Piece[] }
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  /** `open` means that the list may have more or fewer elements. */
  | { kind: 'list'; items: Value[]; open?: boolean }
  | { kind: 'object'; node: Typescript.ObjectLiteralExpression; scope: Scope }
  | { kind: 'function'; node: Typescript.SignatureDeclaration; scope: Scope }
  | { kind: 'unknown' };

/** A part of a statement's text. Null is a parameter. */
export type Piece = string | null;

/** An argument: an expression in the caller's scope, or a value. */
export interface Binding {
  node: Typescript.Expression | undefined;
  scope: Scope;
  value?: Value;
}

/** A function call: its arguments, and the scope in which the function was declared. */
export interface Scope {
  id: string;
  outer: Scope | undefined;
  /**
   * The called function. Undefined in the scope of a statement itself, because its callers are chosen only when needed.
   */
  of: Typescript.Node | undefined;
  bindings: Map<Typescript.Node, Binding>;
  /** The caller's type arguments. */
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
