import type * as Typescript from 'typescript';

/** What the value of an expression can be known to be without running it. */
export type Value =
  | { kind: 'sql'; pieces: Piece[] }
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  /** `open` if there may be more, or fewer, elements than are known. */
  | { kind: 'list'; items: Value[]; open?: boolean }
  | { kind: 'object'; node: Typescript.ObjectLiteralExpression; scope: Scope }
  | { kind: 'function'; node: Typescript.SignatureDeclaration; scope: Scope }
  | { kind: 'unknown' };

/** Text of a statement; null is a value that is sent beside it. */
export type Piece = string | null;

/** An expression of a caller, and which of its properties is meant. */
export interface Binding {
  node: Typescript.Expression | undefined;
  scope: Scope;
  value?: Value;
}

/** The parameters of a function that is followed, inside of the scope that it was made in. */
export interface Scope {
  id: string;
  outer: Scope | undefined;
  /** None for that of a place whose callers are not known yet. */
  of: Typescript.Node | undefined;
  bindings: Map<Typescript.Node, Binding>;
  /** What was given for type parameters. */
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
