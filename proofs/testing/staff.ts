/** Staff of a tenant, and people with an invitation. */

import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import type { Ids, Tenant, World } from './tenant.ts';

type Role = 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer';

export interface Person {
  id: string;
  email: string;
  password: string;
}

const hashes = new Map<string, string>();

/** Hashes a password only once, because all people of a tenant have the same one, and a hash takes long. */
async function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? (await hashPassword(password));
  hashes.set(password, hash);
  return hash;
}

/** Creates a person with a login who works for no shop. */
export async function newPerson({ owner }: Pick<World, 'owner'>, canary: string): Promise<Person> {
  const person = { email: `${canary}-${randomUUID().slice(0, 8)}@example.com`, password: `${canary} password` };
  const { rows } = await owner.query<{ id: string }>(
    'insert into commerce.staff (id, email, name, password_hash) values (gen_random_uuid(), $1, $2, $3) returning id',
    [person.email, `${canary} staff`, await hashOf(person.password)],
  );
  return { ...person, id: rows[0]?.id ?? '' };
}

/** Creates a member of a site's staff. */
export async function hire(
  world: Pick<World, 'owner'>,
  site_id: string,
  canary: string,
  role: Role = 'owner',
): Promise<Person> {
  const hired = await newPerson(world, canary);
  await world.owner.query('insert into commerce.staff_memberships (staff_id, site_id, role) values ($1, $2, $3)', [
    ...[hired.id, site_id, role],
  ]);
  return hired;
}

/** Creates a viewer, and removes those of earlier calls, because a shop may have at most 500 members. */
export async function makeMember(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  await world.owner.query(
    `delete from commerce.staff_memberships where site_id = $1 and role = 'viewer' and not staff_id = any($2)`,
    [tenant.site_id, tenant.ids.staff_member],
  );
  return { staff_member: [(await hire(world, tenant.site_id, tenant.canary, 'viewer')).id] };
}

/** Opens a session for a member of staff without a login, which would hash the password. */
export async function openStaffSession({ owner }: Pick<World, 'owner'>, email: string) {
  const [id, secret] = [randomUUID(), mintToken('staff')];
  await owner.query(
    `insert into commerce.staff_sessions (id, staff_id, token_hash, expires_at)
     select $1, id, $2, now() + interval '12 hours' from commerce.staff where email = $3`,
    [id, hashToken(secret), email],
  );
  return { id, secret };
}

/** Creates another session for the tenant's first member of staff. */
export async function makeStaffSession(world: World, { staff }: Tenant): Promise<Partial<Ids>> {
  return { staff_session: [(await openStaffSession(world, staff[0]?.email ?? '')).id] };
}

/** Creates a member of staff with a password reset link. Returns the link's secret. */
export async function staffReset(world: World, tenant: Tenant): Promise<string> {
  const [{ id }, token] = [await hire(world, tenant.site_id, tenant.canary), mintToken('reset')];
  await world.owner.query(
    `insert into commerce.staff_resets (staff_id, token_hash, expires_at) values ($1, $2, now() + interval '30 minutes')`,
    [id, hashToken(token)],
  );
  return token;
}

interface Invited {
  id: string;
  email: string;
  /** The secret of the link in the mail. */
  token: string;
}

/** Creates an invitation, by default for a new e-mail address. Returns it with the secret of its link. */
export async function invite(
  { owner }: Pick<World, 'owner'>,
  tenant: Pick<Tenant, 'site_id' | 'canary'>,
  { email = `${tenant.canary}-${randomUUID().slice(0, 8)}@example.com`, role = 'support' as Role } = {},
): Promise<Invited> {
  const [id, token] = [randomUUID(), mintToken('invitation')];
  await owner.query(
    `insert into commerce.staff_invitations (site_id, id, email, role, token_hash, invited_by, expires_at)
     select $1, $2, $3, $4, $5, staff_id, now() + interval '7 days' from commerce.staff_memberships
     where site_id = $1 and role = 'owner' limit 1`,
    [tenant.site_id, id, email, role, hashToken(token)],
  );
  return { id, email, token };
}

/** Ends earlier invitations, because a shop may have at most 100. */
export async function makeRoomToInvite({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query(
    'update commerce.staff_invitations set ended_at = now() where site_id = $1 and ended_at is null and not id = any($2)',
    [site_id, ids.invitation],
  );
}

export async function makeInvitation(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  await makeRoomToInvite(world, tenant);
  return { invitation: [(await invite(world, tenant)).id] };
}
