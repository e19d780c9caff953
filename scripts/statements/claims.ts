import type * as Typescript from 'typescript';
import { type Source, ts } from './program.ts';

/** A column of a result, as described by PostgreSQL or as observed. */
export interface Column {
  name: string;
  /** OID of the column's type. */
  type: number;
  /** Whether any row has null. */
  null: boolean;
}

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'bytes' | 'any';

/** JavaScript types that `pg` returns for PostgreSQL's types, with the parsers in db/connect.ts. */
const KINDS: Record<number, Kind> = {
  ...kinds('string', [18, 19, 25, 1043, 1700, 2950, 1184, 869]),
  ...kinds('number', [20, 21, 23, 26, 700, 701]),
  ...kinds('boolean', [16]),
  ...kinds('bytes', [17]),
  ...kinds('any', [114, 3802]),
};

function kinds(kind: Kind, types: number[]): Record<number, Kind> {
  return Object.fromEntries(types.map((type) => [type, kind]));
}

/** Columns of a statement that are selected only for a side effect. */
const EFFECTS = ['?column?', 'set_config'];
const VOID = 2278;

/** Compares declared row types, as in `shop.rows<{ id: string }>(…)`, with the columns of results. */
export class Claims {
  readonly #checker: Typescript.TypeChecker;

  constructor({ checker }: Source) {
    this.#checker = checker;
  }

  /** Whether the type depends on a type parameter. It is then checked where the parameter is known. */
  isOpen(type: Typescript.Type): boolean {
    return (type.flags & (ts.TypeFlags.IndexedAccess | ts.TypeFlags.TypeParameter)) !== 0;
  }

  compare(type: Typescript.Type, columns: Column[]): string[] {
    const claimed = new Map(this.#checker.getPropertiesOfType(type).map((property) => [property.name, property]));
    const names = new Set(columns.map(({ name }) => name));
    const missing = [...claimed.values()]
      .filter(({ name, flags }) => !names.has(name) && !(flags & ts.SymbolFlags.Optional))
      .map(({ name }) => `column ${name}: claimed, but not returned`);
    return [...missing, ...columns.flatMap((column) => this.#compareColumn(claimed.get(column.name), column))];
  }

  #compareColumn(property: Typescript.Symbol | undefined, { name, type, null: mayBeNull }: Column): string[] {
    if (!property) return EFFECTS.includes(name) || type === VOID ? [] : [`column ${name}: returned, but not claimed`];
    const claimed = this.#checker.getTypeOfSymbol(property);
    const parts = claimed.isUnion() ? claimed.types : [claimed];
    const found: string[] = [];
    if (
      mayBeNull &&
      !parts.some(({ flags }) => flags & (ts.TypeFlags.Null | ts.TypeFlags.Any | ts.TypeFlags.Unknown))
    ) {
      found.push(`column ${name}: claimed ${this.#checker.typeToString(claimed)}, but may be null`);
    }
    const kind = KINDS[type] ?? (this.#checker.isArrayType(claimed) ? 'array' : undefined);
    const solid = parts.filter(({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
    if (kind && solid.some((part) => !isOfKind(part, kind))) {
      found.push(
        `column ${name}: claimed ${this.#checker.typeToString(claimed)}, but is ${kind} (PostgreSQL type ${type})`,
      );
    }
    return found;
  }
}

function isOfKind(type: Typescript.Type, kind: Kind): boolean {
  const { flags } = type;
  if (kind === 'any' || flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
  if (kind === 'string') return (flags & ts.TypeFlags.StringLike) !== 0 || type.isIntersection();
  if (kind === 'number') return (flags & ts.TypeFlags.NumberLike) !== 0;
  if (kind === 'boolean') return (flags & ts.TypeFlags.BooleanLike) !== 0;
  return (flags & ts.TypeFlags.Object) !== 0;
}
