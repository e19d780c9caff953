/**
 * Accepts invitations concurrently, repeatedly, as another person, after they were withdrawn, and after they expired.
 */

import { countOf, type Member, type Team } from './team.ts';

const PATH = '/api/dashboard/auth/invitation';
const AT_ONCE = 4;

export async function acceptAtOnce(team: Team, rounds: number, progress: (text: string) => void): Promise<void> {
  await team.owner.query(`delete from commerce.staff_memberships where site_id = $1 and role <> 'owner'`, [
    team.site.site_id,
  ]);
  const boss = await team.hire('owner');
  const stranger = await team.newPerson();
  const ways = [registerAtOnce, loggedInAtOnce, withdrawnMeanwhile, tooLate];
  for (let round = 0; round < rounds; round += 1) {
    await ways[round % ways.length]?.(team, boss, stranger);
    if (round % 50 === 0) progress(`${round + 1} of ${rounds} invitations`);
  }
}

/** A new person registers several times concurrently. Exactly one attempt must succeed, and no later attempt. */
async function registerAtOnce(team: Team): Promise<void> {
  const { email, token } = await team.invite();
  const body = { token, name: 'Noor', password: 'four unrelated quiet words' };
  const register = () => team.send({ method: 'POST', path: `${PATH}/register`, headers: {}, body });
  const statuses = (await Promise.all(Array.from({ length: AT_ONCE }, register))).map(({ status }) => status);
  statuses.push((await register()).status);
  expectOnce(team, 'a registration', statuses, 201);
  await expectMembers(team, email, 1);
}

/**
 * For a person who already has a login, the link must not set the password, must not work for another person, and must work
 * only once.
 */
async function loggedInAtOnce(team: Team, _boss: Member, stranger: Member): Promise<void> {
  const person = await team.newPerson();
  const { token } = await team.invite({ email: person.email });
  const password = 'taken over by a link';
  const stolen = await Promise.all([
    team.send({ method: 'POST', path: `${PATH}/register`, headers: {}, body: { token, name: 'X', password } }),
    team.send({ method: 'POST', path: `${PATH}/accept`, headers: stranger.headers, body: { token } }),
  ]);
  if (stolen[0]?.status !== 409)
    team.violations.add(
      `an invitation link set the password of an existing login: expected 409, got ${stolen[0]?.status}`,
    );
  if (stolen[1]?.status !== 403)
    team.violations.add(`another person accepted the invitation: expected 403, got ${stolen[1]?.status}`);
  const accept = () => team.send({ method: 'POST', path: `${PATH}/accept`, headers: person.headers, body: { token } });
  const statuses = (await Promise.all(Array.from({ length: AT_ONCE }, accept))).map(({ status }) => status);
  statuses.push((await accept()).status);
  expectOnce(team, 'an acceptance', statuses, 200);
  await expectMembers(team, person.email, 1);
  const login = {
    method: 'POST',
    path: '/api/dashboard/auth/login',
    headers: {},
    body: { email: person.email, password },
  };
  if ((await team.send(login)).status !== 401)
    team.violations.add('the password of an invitation link logs in to an existing login');
}

/** An invitation is withdrawn and accepted at the same time; only one of the two may succeed. */
async function withdrawnMeanwhile(team: Team, boss: Member): Promise<void> {
  const person = await team.newPerson();
  const { id, token } = await team.invite({ email: person.email });
  const [withdrawn, accepted] = await Promise.all([
    team.send({ method: 'DELETE', path: `/api/dashboard/staff/invitations/${id}`, headers: boss.headers }),
    team.send({ method: 'POST', path: `${PATH}/accept`, headers: person.headers, body: { token } }),
  ]);
  const outcome = `${withdrawn.status} and ${accepted.status}`;
  if (!['204 and 400', '404 and 200'].includes(outcome)) {
    team.violations.add(
      `an invitation was withdrawn and accepted at the same time, and not exactly one succeeded: ${outcome}`,
    );
  }
  await expectMembers(team, person.email, accepted.status === 200 ? 1 : 0);
}

async function tooLate(team: Team): Promise<void> {
  const { id, email, token } = await team.invite();
  await team.owner.query(
    `update commerce.staff_invitations set expires_at = now() - interval '1 second' where site_id = $1 and id = $2`,
    [team.site.site_id, id],
  );
  const body = { token, name: 'Noor', password: 'four unrelated quiet words' };
  const { status } = await team.send({ method: 'POST', path: `${PATH}/register`, headers: {}, body });
  if (status !== 400) team.violations.add(`an invitation past its time: ${status}`);
  await expectMembers(team, email, 0);
}

function expectOnce({ violations }: Team, what: string, statuses: number[], success: number): void {
  const successes = statuses.filter((status) => status === success).length;
  if (successes !== 1) violations.add(`${what} succeeded ${successes} times: ${statuses.join(' ')}`);
  const odd = statuses.filter((status) => status !== success && ![400, 409].includes(status));
  if (odd.length > 0) violations.add(`${what} was refused with ${odd.join(' ')}`);
}

async function expectMembers(team: Team, email: string, expected: number): Promise<void> {
  const found = await countOf(
    team,
    'staff_id in (select id from commerce.staff where lower(email) = lower($2))',
    email,
  );
  if (found !== expected) team.violations.add(`${email} has ${found} memberships instead of ${expected}`);
}
