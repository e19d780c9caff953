import sql, { join, raw, type Sql } from 'sql-template-tag';

/**
 * An SQL expression for each field of a row or of a JSON object, in their order. A field that the type requires does not compile
 * when it is missing here; one that is optional is only read where it is listed.
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

/** The same in `jsonb`, which has an order of its own. */
export function jsonbObject<T extends object>(fields: Fields<T>): Sql {
  return sql`jsonb_build_object(${pairsOf(fields)})`;
}

function pairsOf(fields: object): Sql {
  return join(
    entriesOf(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`),
    ', ',
  );
}

/** `raw` is safe for the names: they are those of types in the source. */
function entriesOf(fields: object): [string, Sql][] {
  return Object.entries(fields);
}
