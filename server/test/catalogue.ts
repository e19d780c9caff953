import pg from 'pg';

/** For each kind of database object that migrations define, a query that describes every object of that kind. */
const KINDS: Record<string, string> = {
  extension: `select format('%s in %s', e.extname, n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace`,
  schema: `select format('%s of %s: %s', n.nspname, n.nspowner::regrole, rights(n.nspacl, n.nspowner, 'n'))
    from pg_namespace n where n.nspname in ('commerce', 'graphile_worker')`,
  relation: `select format('%s %s of %s, persistence %s, options %s, row security %s%s: %s', c.relkind, c.oid::regclass,
      c.relowner::regrole, c.relpersistence, sorted(c.reloptions), c.relrowsecurity, c.relforcerowsecurity,
      rights(c.relacl, c.relowner, 'r'))
    from pg_class c where ours(c.relnamespace, c.relname)`,
  column: `select format('%s %s %s %s, not null %s, default %s%s%s, collation %s, storage %s%s, target %s, options %s, rights %s',
      c.oid::regclass, row_number() over (partition by c.oid order by a.attnum), quote_ident(a.attname),
      format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity,
      a.attcollation::regcollation, a.attstorage, a.attcompression, greatest(a.attstattarget, -1), a.attoptions, a.attacl)
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ours(c.relnamespace, c.relname) and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped`,
  // Excludes constraints of the job queue: PostgreSQL 15 does not name its not-null constraints, but 18 does.
  constraint: `select format('%s %s %s, validated %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid), k.convalidated)
    from pg_constraint k where k.connamespace = 'commerce'::regnamespace`,
  index: `select format('%s, valid %s, clustered %s', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisclustered)
    from pg_index i join pg_class c on c.oid = i.indrelid where ours(c.relnamespace, c.relname)`,
  trigger: `select format('%s, enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where ours(c.relnamespace, c.relname) and not t.tgisinternal`,
  policy: `select format('%s on %s.%s, %s, for %s to %s using %s check %s', policyname, schemaname, tablename, permissive, cmd,
      sorted(roles::text[]), qual, with_check)
    from pg_policies where schemaname in ('commerce', 'graphile_worker')`,
  function: `select format('%s of %s: %s', pg_get_functiondef(p.oid), p.proowner::regrole, rights(p.proacl, p.proowner, 'f'))
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('commerce', 'graphile_worker')`,
  sequence: `select format('%s.%s %s from %s by %s', schemaname, sequencename, data_type, start_value, increment_by)
    from pg_sequences where ours(schemaname::regnamespace, sequencename)`,
  'text search': `select format('%s: %s', m.mapcfg::regconfig, string_agg(m.maptokentype || ' ' || m.mapdict::regdictionary, ', '
      order by m.maptokentype, m.mapseqno))
    from pg_ts_config_map m join pg_ts_config g on g.oid = m.mapcfg join pg_namespace n on n.oid = g.cfgnamespace
    where n.nspname = 'commerce' group by m.mapcfg`,
  type: `select format('%s %s', t.oid::regtype, t.typtype) from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname in ('commerce', 'graphile_worker')`,
  'default rights': `select format('%s of %s in %s: %s', d.defaclobjtype, d.defaclrole::regrole, d.defaclnamespace::regnamespace,
      rights(d.defaclacl, d.defaclrole, 'r')) from pg_default_acl d`,
  role: `select format('%s, inherits %s, superuser %s, bypasses %s, login %s, member of %s', r.rolname, r.rolinherit, r.rolsuper,
      r.rolbypassrls, r.rolcanlogin, (select string_agg(m.roleid::regrole::text, ', ' order by m.roleid::regrole::text)
        from pg_auth_members m where m.member = r.oid))
    from pg_roles r where r.rolname in ('commerce_app', 'commerce_search', 'commerce_sweep', 'commerce_backup', 'commerce_backup_members')`,
  comment: `select format('%s %s', d.objoid::regclass, d.description) from pg_description d join pg_class c on c.oid = d.objoid
    where d.classoid = 'pg_class'::regclass and ours(c.relnamespace, c.relname)`,
  statistics: `select pg_get_statisticsobjdef(s.oid) from pg_statistic_ext s`,
};

const HELPERS = `
  create function pg_temp.ours(schema oid, name text) returns boolean language sql as $$
    select schema::regnamespace::text in ('commerce', 'graphile_worker')
      or (schema = 'public'::regnamespace and name like 'commerce\\_migrations%') $$;
  create function pg_temp.sorted(list text[]) returns text language sql as $$
    select array_agg(one order by one)::text from unnest(list) as one $$;
  create function pg_temp.rights(acl aclitem[], owner oid, kind "char") returns text language sql as $$
    select string_agg(format('%s %s%s by %s', case a.grantee when 0 then 'public' else a.grantee::regrole::text end,
        a.privilege_type, case when a.is_grantable then ' grantable' end, a.grantor::regrole), ', '
      order by a.grantee, a.privilege_type)
    from aclexplode(coalesce(acl, acldefault(kind, owner))) a $$`;

/**
 * Describes the schema of a database, to compare it with another on the same server: sorted lines for each kind of
 * object.
 */
export async function catalogueOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(HELPERS);
    await client.query(`set search_path = ''`);
    const found: Record<string, string[]> = {};
    for (const [kind, statement] of Object.entries(KINDS)) {
      const text = statement.replace(/\b(ours|sorted|rights)\(/g, 'pg_temp.$1(');
      const { rows } = await client.query<string[]>({ text, rowMode: 'array' });
      found[kind] = rows.map(([line = '']) => line).toSorted();
    }
    return found;
  } finally {
    await client.end();
  }
}
