import pg from 'pg';
import { BACKUP_MEMBERS, BACKUP_ROLE, SERVER_ROLES } from './access.ts';

/**
 * Thrown if roles are missing and the login may not create them. Roles belong to the cluster, so a dump does not
 * contain them.
 */
export class RolesMissing extends Error {
  constructor(login: string, statements: string[]) {
    super(`${login} may not create the roles of the server. As a superuser: ${statements.join(' ')}`);
    this.name = 'RolesMissing';
  }
}

type Client = pg.Client;

/**
 * Creates missing roles and lets the login switch to them. Returns descriptions of what it did. Throws RolesMissing if
 * the login may not do that, unless only roles for backups are missing, without which the server runs.
 */
export async function ensureRoles(client: Client): Promise<string[]> {
  const made: string[] = [];
  for (const { text, statement, needed } of await missingRoles(client)) {
    try {
      await client.query(statement);
      made.push(text);
    } catch (error) {
      // 42710 or 23505: another process has just created the role.
      const { code } = error as { code?: string };
      if (code === '42710' || code === '23505') continue;
      if (code !== '42501') throw error;
      if (needed) throw await rolesMissing(client);
    }
  }
  return made;
}

/** A missing role or membership, and the statement that adds it. */
interface MissingRole {
  text: string;
  statement: string;
  needed: boolean;
}

export async function missingRoles(client: Client): Promise<MissingRole[]> {
  const { known, acting, linked } = await lookAtRoles(client);
  const needs = (role: string) => SERVER_ROLES.includes(role);
  const created = [...SERVER_ROLES, BACKUP_ROLE, BACKUP_MEMBERS]
    .filter((role) => !known.includes(role))
    .map((role) => ({
      text: `role ${role}`,
      statement: `create role ${role} nologin${role === BACKUP_MEMBERS ? ' noinherit' : ''}`,
      needed: needs(role),
    }));
  const joined = [...SERVER_ROLES, BACKUP_MEMBERS]
    .filter((role) => !acting.includes(role))
    .map((role) => ({
      text: `membership in ${role}`,
      statement: `grant ${role} to current_user`,
      needed: needs(role),
    }));
  const link = linked
    ? []
    : [
        {
          text: `membership of ${BACKUP_MEMBERS} in ${BACKUP_ROLE}`,
          statement: `grant ${BACKUP_ROLE} to ${BACKUP_MEMBERS}`,
          needed: false,
        },
      ];
  return [...created, ...joined, ...link];
}

/** The privilege to check. Since PostgreSQL 16, the creator of a role is a member of it but may not SET ROLE to it. */
const TAKE = `case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end`;

/**
 * Reads the state of the roles. `acting`: roles to which the login may switch. `linked`: whether
 * commerce_backup_members may switch to commerce_backup.
 */
async function lookAtRoles(client: Client) {
  const { rows } = await client.query<{ known: string[]; acting: string[]; linked: boolean }>(
    `select coalesce(array_agg(rolname::text), '{}') as known,
      coalesce(array_agg(rolname::text) filter (where pg_has_role(current_user, oid, ${TAKE})), '{}') as acting,
      exists (select from pg_auth_members m where m.roleid = to_regrole($2) and m.member = to_regrole($3)) as linked
    from pg_roles where rolname = any($1)`,
    [[...SERVER_ROLES, BACKUP_ROLE, BACKUP_MEMBERS], BACKUP_ROLE, BACKUP_MEMBERS],
  );
  return rows[0] ?? { known: [], acting: [], linked: false };
}

async function rolesMissing(client: Client): Promise<RolesMissing> {
  const login = await loginOf(client);
  const name = pg.escapeIdentifier(login);
  const missing = await missingRoles(client);
  return new RolesMissing(
    login,
    missing.map(({ statement }) => `${statement.replace('current_user', `${name} with admin option`)};`),
  );
}

async function loginOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ login: string }>('select current_user as login');
  return rows[0]?.login ?? '';
}

/** Whether the login may switch to commerce_backup. */
export async function mayBackUp(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(current_user, oid, ${TAKE}) as may from pg_roles where rolname = $1`,
    [BACKUP_ROLE],
  );
  return rows[0]?.may ?? false;
}

/** Throws if another login owns the tables, for example because it restored the dump. */
export async function refuseForeignOwner(client: Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; login: string; tables: number }>(
    `select pg_get_userbyid(c.relowner) as owner, current_user as login, count(*)::int as tables
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not pg_has_role(current_user, c.relowner, 'usage')
        and (n.nspname in ('commerce', 'graphile_worker') or (n.nspname, c.relname) = ('public', 'commerce_migrations'))
      group by 1, 2`,
  );
  const [found] = rows;
  if (!found) return;
  throw new Error(
    `${found.tables} tables belong to ${found.owner}, so ${found.login} cannot migrate them. Restore the dump as ` +
      `${found.login} (pg_restore --no-owner), or use the login ${found.owner} in DATABASE_URL.`,
  );
}
