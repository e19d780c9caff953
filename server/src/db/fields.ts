import sql, { join, raw, type Sql } from 'sql-template-tag';

/**
 * An SQL expression for each field of a row or JSON object, in the order of the result. A missing required field is a
 * compile error; an optional field is read only if it is listed.
 */
export type Fields<Row> = { [Name in keyof Row]: Sql };

/** The select list for these fields. */
export function selectList<Row extends object>(fields: Fields<Row>): Sql {
  return join(
    entriesOf(fields).map(([name, value]) => sql`${value} as ${raw(name)}`),
    ', ',
  );
}

/** An expression for a JSON object with these fields. */
export function jsonObject<T extends object>(fields: Fields<T>): Sql {
  return sql`json_build_object(${pairsOf(fields)})`;
}

/** An expression for a `jsonb` object with these fields. `jsonb` does not keep their order. */
export function jsonbObject<T extends object>(fields: Fields<T>): Sql {
  return sql`jsonb_build_object(${pairsOf(fields)})`;
}

function pairsOf(fields: object): Sql {
  return join(
    entriesOf(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`),
    ', ',
  );
}

/**
 * Names and expressions of the fields. `raw` is safe for the names, because they come from types in the source code.
 */
function entriesOf(fields: object): [string, Sql][] {
  return Object.entries(fields);
}
