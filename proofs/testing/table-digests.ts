import type { Pool } from 'pg';

/** A digest of each table's data, to detect changes. */
export type State = Record<string, string>;

/** Columns that are left out, because the last use of a credential is written independently of other changes. */
const RESTLESS = ['last_used_at'];

export async function stateOf(owner: Pool, site_ids: string[]): Promise<State> {
  // A connection reuses the plan of a named statement after a few runs. Planning this statement takes longer than
  // running it.
  const { rows } = await owner.query<{ name: string; digest: string }>({
    name: 'table-digests',
    text: await statement(owner),
    values: [site_ids, RESTLESS],
  });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the names of the tables that differ. */
export function changed(before: State, after: State): string[] {
  return Object.keys(before).filter((name) => before[name] !== after[name]);
}

let known: Promise<string> | undefined;

function statement(owner: Pool): Promise<string> {
  known ??= compose(owner);
  return known;
}

async function compose(owner: Pool): Promise<string> {
  const { rows } = await owner.query<{ digest: string }>(
    `select string_agg(format(
       $$select %L as name, md5(coalesce(string_agg(row, '|' order by row), '')) as digest
         from (select (to_jsonb(t) - $2::text[])::text as row from commerce.%I t where site_id = any($1::uuid[])) rows$$,
       table_name, table_name), ' union all ' order by table_name) as digest
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'commerce' and column_name = 'site_id' and table_type = 'BASE TABLE'`,
  );
  // login_unlocks is added separately: it has no site_id, because staff work for several shops.
  return `${rows[0]?.digest ?? ''} union all
    select 'login_unlocks', md5(coalesce(string_agg(l::text, '|' order by token_hash), '')) from commerce.login_unlocks l`;
}
