import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import { exampleOf } from '../testing/valid-requests.ts';
import { grantMore, keyOf, refundByCancelling } from './beyond-permissions.ts';
import { OF_ONESELF, SCOPES_OF, SENSITIVE, SENSITIVE_SETTINGS, scopeOf, scopesOfGrant } from './permissions.ts';
import { type Answered, type Member, ROLES, type Role, type Sent, type Team, withTeam } from './team.ts';

/**
 * Tries every role, and keys with several sets of scopes, on every dashboard operation. Roles change or end while their
 * holders make calls, and owners remove each other. The calls alternate between two servers.
 */
export const L1: Proof = {
  id: 'L1',
  promise:
    'Staff and keys can only do what their role or scopes allow, nothing after these end, and an owner always remains.',
  async run(trial) {
    const violations = new Violations();
    const tried = await withTeam(trial, violations, async (team) => {
      await crossRoles(team, trial);
      await withoutConfirmation(team);
      await refundByCancelling(team);
      await grantMore(team);
      trial.progress(`${team.calls} calls by roles and keys`);
      await changeRoles(team, pick(trial.size, 4, 200));
      await loseOwners(team, pick(trial.size, 6, 400));
      return team.calls;
    });
    return { tried, unit: 'calls', violations: violations.list };
  },
};

const OURS: Operation[] = operationTable.filter(
  ({ surface, security }) => surface === 'dashboard' && security.length > 0,
);

interface Holder {
  name: string;
  scheme: 'StaffSession' | 'ApiKey';
  headers: Record<string, string>;
  scopes: string[];
}

/**
 * Calls each operation with each role and with several keys. A caller without the scope must get a 403 that names the
 * scope; other callers must not. The short form tries three callers of each operation.
 */
async function crossRoles(team: Team, { size, seed }: Trial): Promise<void> {
  const chance = chanceOf(seed);
  const staff = await Promise.all(
    ROLES.map(async (role): Promise<Holder> => {
      const { headers } = await team.hire(role);
      return { name: role, scheme: 'StaffSession', headers, scopes: SCOPES_OF[role] };
    }),
  );
  const keys = await Promise.all(
    [['read'], ['read', 'write'], ['orders:read'], ['read', 'write', 'payments:write'], ['keys:write']].map(
      async (granted): Promise<Holder> => {
        const headers = { 'X-API-Key': (await keyOf(team, granted)).secret };
        return { name: `a key of ${granted.join(' and ')}`, scheme: 'ApiKey', headers, scopes: scopesOfGrant(granted) };
      },
    ),
  );
  for (const operation of OURS) {
    const scope = scopeOf(operation.name);
    if (scope === undefined && !OF_ONESELF.includes(operation.name)) {
      team.violations.add(`${operation.id}: add it to its scope in proofs/accounts/permissions.ts`);
    }
    if (scope === undefined) continue;
    const holders = [...staff, ...keys];
    for (const holder of chance.some(holders, pick(size, 3, holders.length))) {
      if (!operation.security.some(([scheme]) => scheme === holder.scheme)) continue;
      judge(team, operation, scope, holder, await team.send(callOf(operation, holder.headers)));
    }
  }
}

function judge(
  { violations }: Team,
  { id, name }: Operation,
  scope: string,
  holder: Holder,
  { status, body }: Answered,
) {
  const outcome = `${holder.name} got ${status} ${JSON.stringify(body).slice(0, 200)}`;
  const lacks = status === 403 && body.error === 'insufficient_scope' && body.scope === scope;
  if (!holder.scopes.includes(scope)) {
    if (!lacks) violations.add(`${id}: expected 403 insufficient_scope without ${scope}, but ${outcome}`);
    return;
  }
  const mayConfirm = holder.scheme === 'StaffSession' || holder.scopes.includes('payments:write');
  // The example body of updateSettings contains sensitive fields.
  const isOpen = mayConfirm || !(SENSITIVE.includes(name) || name === 'updateSettings');
  const isConfirmed = status !== 403 || body.error !== 'step_up_required';
  if (lacks || status === 401) violations.add(`${id}: expected to be allowed with ${scope}, but ${outcome}`);
  if (isConfirmed !== isOpen)
    violations.add(`${id}: expected ${isOpen ? 'no step_up_required' : 'step_up_required'}, but ${outcome}`);
}

/**
 * Calls each operation, except those that end or confirm the session, as an owner whose password was confirmed more
 * than 15 minutes ago.
 */
async function withoutConfirmation(team: Team): Promise<void> {
  const { id, headers } = await team.hire('owner');
  await team.owner.query(
    `update commerce.staff_sessions set confirmed_at = now() - interval '15 minutes 1 second' where staff_id = $1`,
    [id],
  );
  const expect = async (what: string, isSensitive: boolean, call: Sent) => {
    const { status, body } = await team.send(call);
    const isRefused = status === 403 && body.error === 'step_up_required';
    if (isRefused !== isSensitive)
      team.violations.add(
        `${what} without a recent password: expected ${isSensitive ? 'step_up_required' : 'no step_up_required'}, got ${status} ${body.error}`,
      );
  };
  // Operations that end the session or confirm it are left out.
  const own = ['logout', 'confirmIdentity', 'changePassword', 'endOtherSessions', 'endSession'];
  for (const operation of OURS.filter(({ name }) => !own.includes(name) && name !== 'updateSettings')) {
    await expect(operation.id, SENSITIVE.includes(operation.name), callOf(operation, headers));
  }
  const settings = { method: 'PATCH', path: '/api/dashboard/settings', headers };
  for (const [field, value] of Object.entries({ ...SENSITIVE_SETTINGS, low_stock_threshold: 3 })) {
    await expect(`a change of ${field}`, field in SENSITIVE_SETTINGS, { ...settings, body: { [field]: value } });
  }
}

/** Builds a call with ids that do not exist, so that an allowed call changes little. */
function callOf(operation: Operation, headers: Record<string, string>): Sent {
  const path = operation.path.replaceAll(/\{\w+\}/g, () => randomUUID());
  return { method: operation.method.toUpperCase(), path, headers, body: exampleOf(operation) };
}

const CALLERS = 4;
const CALLS_AFTER = 4;

/**
 * A member calls both servers without pause, while an owner changes or ends the member's role.
 */
async function changeRoles(team: Team, rounds: number): Promise<void> {
  const [boss, member] = [await team.hire('owner'), await team.hire('manager')];
  const read = { method: 'GET', path: '/api/dashboard/customers', headers: member.headers };
  for (let round = 0; round < rounds; round += 1) {
    const ends = round % 2 === 1;
    await setRole(team, member, 'manager');
    let [acknowledged, accepted] = [false, 0];
    const caller = async () => {
      for (let after = 0; after < CALLS_AFTER; ) {
        const begunAfter = acknowledged;
        const { status } = await team.send(read);
        if (!begunAfter) {
          if (status === 200) accepted += 1;
          continue;
        }
        after += 1;
        if (status !== 403)
          team.violations.add(`a call after the role was ${ends ? 'removed' : 'changed'}: expected 403, got ${status}`);
      }
    };
    const calling = Promise.all(Array.from({ length: CALLERS }, caller));
    while (accepted < CALLERS) await new Promise((done) => setTimeout(done, 5));
    const path = `/api/dashboard/staff/${member.id}`;
    const change = ends
      ? { method: 'DELETE', path, headers: boss.headers }
      : { method: 'PATCH', path, headers: boss.headers, body: { role: 'fulfilment' } };
    const { status } = await team.send(change);
    acknowledged = true;
    await calling;
    if (status >= 300) team.violations.add(`the role could not be ${ends ? 'removed' : 'changed'}: ${status}`);
  }
}

async function setRole({ owner, site }: Team, { id }: Member, role: Role): Promise<void> {
  await owner.query(
    `insert into commerce.staff_memberships (staff_id, site_id, role) values ($1, $2, $3)
     on conflict (staff_id, site_id) do update set role = excluded.role`,
    [id, site.site_id, role],
  );
}

/**
 * In each round, the shop's three owners concurrently remove or demote another owner or themselves. At least one owner
 * must remain.
 */
async function loseOwners(team: Team, rounds: number): Promise<void> {
  const owners = await Promise.all(Array.from({ length: 3 }, () => team.hire('owner')));
  for (let round = 0; round < rounds; round += 1) {
    await team.owner.query('delete from commerce.staff_memberships where site_id = $1', [team.site.site_id]);
    for (const one of owners) await setRole(team, one, 'owner');
    const answers = await Promise.all(
      owners.flatMap((by, i) => {
        const whom = owners[(i + 1 + (round % owners.length)) % owners.length] as Member;
        const path = `/api/dashboard/staff/${whom.id}`;
        return round % 2 === 0
          ? [team.send({ method: 'DELETE', path, headers: by.headers })]
          : [team.send({ method: 'PATCH', path, headers: by.headers, body: { role: 'viewer' } })];
      }),
    );
    const { rows } = await team.owner.query<{ left: number }>(
      `select count(*)::int as left from commerce.staff_memberships where site_id = $1 and role = 'owner'`,
      [team.site.site_id],
    );
    const left = rows[0]?.left ?? 0;
    const done = answers.filter(({ status }) => status < 300).length;
    if (left < 1) team.violations.add(`round ${round}: the shop has no owner any more`);
    if (left !== owners.length - done)
      team.violations.add(`round ${round}: ${done} of ${owners.length} owners were removed, but ${left} remain`);
    const unexpected = answers.filter(({ status }) => ![200, 204, 403, 409].includes(status));
    for (const { status } of unexpected)
      team.violations.add(`round ${round}: removing an owner: unexpected response ${status}`);
  }
}
