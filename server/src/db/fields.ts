import sql, { join, raw, type Sql } from 'sql-template-tag';

/**
 * An SQL expression for each field of a row or a JSON object, in order. A missing required field does not compile; an
 * optional one is only read if it is listed.
 */
export type Fields<Row> = { [Name in keyof Row]: Sql };

/** The select list of these fields. */
export function selectList<Row extends object>(fields: Fields<Row>): Sql {
  return join(
    entriesOf(fields).map(([name, value]) => sql`${value} as ${raw(name)}`),
    ', ',
  );
}

/** The expression of a JSON object with these fields. */
export function jsonObject<T extends object>(fields: Fields<T>): Sql {
  return sql`json_build_object(${pairsOf(fields)})`;
}

/** The same in `jsonb`, which has its own order. */
export function jsonbObject<T extends object>(fields: Fields<T>): Sql {
  return sql`jsonb_build_object(${pairsOf(fields)})`;
}

function pairsOf(fields: object): Sql {
  return join(
    entriesOf(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`),
    ', ',
  );
}

/** `raw` is safe for the names, which come from types in the source. */
function entriesOf(fields: object): [string, Sql][] {
  return Object.entries(fields);
}
