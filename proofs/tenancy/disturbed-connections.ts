import type pg from 'pg';
import type { Violations } from '../testing/proof.ts';
import type { Chance } from '../testing/random.ts';
import { readsOnlyDirectory } from './site-filters.ts';

/** Disturbs database connections: makes some statements fail, and checks which tenant's rows each statement sees. */
interface Disturbance {
  chance: Chance;
  /** The share of statements that fail. */
  share: number;
  /** A pool that connects as the owner of the database, to cancel statements and to kill connections. */
  owner: pg.Pool;
  sites: string[];
  violations: Violations;
}

export interface Disturbed {
  statements: number;
  failed: number;
  connections: number;
  /** The number of times that a connection was used for one tenant and then for another. */
  passedOn: number;
}

const FAULTS = ['error', 'timeout', 'cancelled', 'killed'] as const;
const ASK_AGAIN_MS = 20;

type Send = (config: object) => Promise<pg.QueryResult>;

/** Disturbs each connection that the pool opens from now on. */
export function disturb(pool: pg.Pool, disturbance: Disturbance): Disturbed {
  const seen: Disturbed = { statements: 0, failed: 0, connections: 0, passedOn: 0 };
  pool.on('connect', (connection) => {
    seen.connections += 1;
    const original = connection.query.bind(connection) as (...args: unknown[]) => unknown;
    const send = original as Send;
    let last: string | undefined;
    let before: Promise<unknown> = Promise.resolve();
    let opening: Opening | undefined;
    const disturbed = (given: object) => {
      const ahead = opening?.underWay ? opening : undefined;
      const own = opens(given) ? { underWay: true, failed: false } : undefined;
      opening = own ?? opening;
      // Statements are sent one after another, in the order in which they were issued.
      const sent = before.then(() => start(given, ahead, own));
      before = sent.catch(() => undefined);
      const answered = sent.then(({ answer }) => answer);
      const end = () => {
        if (own) own.underWay = false;
      };
      answered.then(end, end);
      return answered;
    };
    const start = async (
      statement: object,
      ahead: Opening | undefined,
      own: Opening | undefined,
    ): Promise<{ answer: Promise<pg.QueryResult> }> => {
      const site = siteOf(statement, disturbance.sites);
      // After a BEGIN that failed, PostgreSQL skips the statements that were sent in the same packet.
      if (own && ahead?.failed) own.failed = true;
      if (site && !ahead?.failed) {
        seen.statements += 1;
        if (last && last !== site) seen.passedOn += 1;
        last = site;
        await compare(send, site, statement, disturbance.violations);
      }
      if (disturbance.chance.next() >= disturbance.share) return { answer: send(statement) };
      seen.failed += 1;
      if (own) own.failed = true;
      return { answer: fail(connection, send, statement, disturbance) };
    };
    const query = (...args: unknown[]) =>
      args.length === 1 && typeof args[0] === 'object' ? disturbed(args[0] as object) : original(...args);
    connection.query = query as typeof connection.query;
  });
  return seen;
}

/**
 * A statement that opens a request: a BEGIN, or the one that finds the caller and sets the tenant. Other statements may
 * follow in the same packet.
 */
interface Opening {
  underWay: boolean;
  failed: boolean;
}

function opens(statement: object): boolean {
  const { text = '' } = statement as { text?: string };
  return text.startsWith('begin') || text.includes(`set_config('app.site_id'`);
}

/**
 * Returns the site of a statement. Returns undefined for statements that find the caller or read a site's limits, which
 * run before a tenant is set.
 */
function siteOf(statement: object, sites: string[]): string | undefined {
  const { text = '', values = [] } = statement as { text?: string; values?: unknown[] };
  if (text.includes('set_config') || readsOnlyDirectory(text)) return undefined;
  return sites.find((site) => values.includes(site));
}

async function compare(send: Send, site: string, statement: object, violations: Violations): Promise<void> {
  const asked = await send({ text: `select current_setting('app.site_id', true) as shown` }).catch(() => undefined);
  const shown = (asked?.rows[0] as { shown: string | null } | undefined)?.shown;
  if (!asked || shown === site) return;
  const { text } = statement as { text: string };
  violations.add(`a statement for the site ${site} is shown the rows of ${shown || 'none'}: ${text.slice(0, 300)}`);
}

/** Sends another statement instead. That statement fails, times out, is cancelled, or loses its connection. */
async function fail(connection: pg.PoolClient, send: Send, statement: object, { chance, owner }: Disturbance) {
  const { query_timeout } = statement as { query_timeout?: number };
  const instead = (text: string) => send({ text, query_timeout });
  const fault = chance.of(FAULTS);
  if (fault === 'error') return instead('select 1 / 0');
  if (fault === 'timeout') return instead('set local statement_timeout = 20; select pg_sleep(5)');
  const end = fault === 'killed' ? 'pg_terminate_backend' : 'pg_cancel_backend';
  const { processID } = connection as unknown as { processID: number };
  const slept = instead('select pg_sleep(5)');
  let asking = true;
  slept.catch(() => undefined).finally(() => (asking = false));
  // Repeats the attempt, because the first one may come before the statement has started.
  while (asking) {
    await owner.query(`select ${end}($1)`, [processID]);
    await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
  }
  return slept;
}
