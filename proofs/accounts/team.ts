import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import type { Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { hire, type Person } from '../testing/staff.ts';

export type Role = 'owner' | 'manager' | 'fulfilment' | 'support' | 'viewer';

export const ROLES: Role[] = ['owner', 'manager', 'fulfilment', 'support', 'viewer'];

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

/** A shop's team, and two servers on one database. Calls alternate between the servers. */
export interface Team {
  site: Awaited<ReturnType<typeof openTenant>>;
  owner: pg.Pool;
  violations: Violations;
  servers: ServerProcess[];
  calls: number;
  send(call: Sent): Promise<Answered>;
  hire(role: Role): Promise<Member>;
}

/** A member with a session. */
export interface Member extends Person {
  headers: Record<string, string>;
}

export async function withTeam<T>(
  { databaseUrl }: Trial,
  violations: Violations,
  work: (team: Team) => Promise<T>,
): Promise<T> {
  return withDirectory(async (directory) => {
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 4 }));
    const servers: ServerProcess[] = [];
    try {
      const site = await openTenant(databaseUrl);
      for (let i = 0; i < 2; i += 1) servers.push(await new ServerProcess(await freePort(), env).mustBeReady());
      return await work(teamOf({ site, owner, violations, servers }));
    } finally {
      await Promise.all(servers.map((server) => server.running && server.end('SIGTERM')));
      await owner.end();
    }
  });
}

function teamOf(given: Pick<Team, 'site' | 'owner' | 'violations' | 'servers'>): Team {
  const { site, owner, servers } = given;
  const canary = randomUUID().slice(0, 8);
  const team: Team = {
    ...given,
    calls: 0,
    async send({ method, path, headers, body }) {
      team.calls += 1;
      const { baseUrl } = servers[team.calls % servers.length] as ServerProcess;
      const own: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': randomUUID() };
      if (body !== undefined) own['Content-Type'] = 'application/json';
      const init = {
        method,
        headers: { ...own, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const response = await fetch(baseUrl + path, init);
      const text = await response.text();
      if (response.status >= 500)
        team.violations.add(`${method} ${path}: expected no 5xx, got ${response.status} ${text.slice(0, 300)}`);
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
    },
    hire: async (role) => loggedIn(team, await hire({ owner }, site.site_id, canary, role)),
  };
  return team;
}

/** Logs in with the password, because sensitive actions require a recent login. */
async function loggedIn(team: Team, person: Person): Promise<Member> {
  const { email, password } = person;
  const login = { method: 'POST', path: '/api/dashboard/auth/login', headers: {}, body: { email, password } };
  const { status, body } = await team.send(login);
  if (status !== 200) throw new Error(`A member of the team could not log in: ${status} ${JSON.stringify(body)}`);
  return { ...person, headers: { Authorization: `Bearer ${body.access_token}` } };
}
