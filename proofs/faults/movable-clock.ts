import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { asOwner } from '../testing/server-process.ts';
import { DatabaseProxy, type Message } from './database-proxy.ts';

/**
 * A database in which `now()` and `clock_timestamp()` return a fixed time until it is changed. Statements, column
 * defaults, policies and functions use these functions instead of PostgreSQL's own, which come last in the search path.
 * The database's time zone has daylight saving time.
 */
export class MovableClock {
  /** The URL for servers. Connections go through a proxy that changes their search path. */
  readonly url: string;
  /** Connections as the superuser. */
  readonly owner: pg.Pool;
  readonly #proxy: DatabaseProxy;
  readonly #drop: () => Promise<void>;

  private constructor(proxy: DatabaseProxy, owner: pg.Pool, drop: () => Promise<void>) {
    this.url = proxy.url;
    this.owner = owner;
    this.#proxy = proxy;
    this.#drop = drop;
  }

  /** Creates a new database on the server of `databaseUrl`, whose login must be a superuser. */
  static async create(databaseUrl: string): Promise<MovableClock> {
    const name = `clock_${process.pid}_${Date.now()}`;
    const admin = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 1 }));
    await admin.query(`create database ${name}`);
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    // Runs each statement on a new connection, because settings of a database apply only to connections that are opened
    // later.
    for (const statement of SETUP) await asOwner(url.href, statement.replace('NAME', name));
    await prepareSchema(url.href);
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: url.href, max: 2 }));
    const proxy = await DatabaseProxy.before(url.href);
    proxy.rewrite = withClockOnPath;
    const drop = async () => {
      await owner.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    };
    return new MovableClock(proxy, owner, drop);
  }

  /** Sets the time in milliseconds since 1970. */
  async set(at: number): Promise<void> {
    await this.owner.query('update clock.hands set at = $1', [new Date(at).toISOString()]);
  }

  async end(): Promise<void> {
    await this.#proxy.end();
    await this.#drop();
  }
}

const SETUP = [
  'create schema clock',
  'create table clock.hands as select pg_catalog.now() as at',
  'create function clock.now() returns timestamptz language sql stable as $$ select at from clock.hands $$',
  'create function clock.clock_timestamp() returns timestamptz language sql volatile as $$ select clock.now() $$',
  'grant usage on schema clock to public',
  'grant select on clock.hands to public',
  `alter database NAME set search_path = "$user", public, clock, pg_catalog`,
  `alter database NAME set timezone = 'Europe/Berlin'`,
];

const PATH = 'search_path=commerce,public';

/**
 * Adds the schema `clock` to the search path in the message that opens a connection. The message begins with its
 * length.
 */
function withClockOnPath({ from, type, bytes }: Message): Buffer {
  if (from !== 'server' || type !== '' || !bytes.includes(PATH)) return bytes;
  const text = bytes.subarray(4).toString('latin1').replace(PATH, `${PATH},clock,pg_catalog`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + text.length);
  return Buffer.concat([length, Buffer.from(text, 'latin1')]);
}
