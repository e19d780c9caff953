import pg from 'pg';
import { startEmbedded } from '../server/src/db/embedded.ts';
import { makeDirectory, removeDirectory } from './leftovers.ts';

/** An empty database for one scenario, with a directory for the servers' files. */
export interface Database {
  url: string;
  /** The URL of a login that bypasses row-level security. */
  bareUrl: string;
  dataDir: string;
  version: string;
  drop(): Promise<void>;
}

const open = new Set<() => Promise<void>>();

/** Drops the databases that this process still has open. */
export async function dropAll(): Promise<void> {
  await Promise.allSettled([...open].map((drop) => drop()));
}

/** Opens a database in the PostgreSQL of DATABASE_URL if that is set, otherwise in an embedded one. */
export async function openDatabase(): Promise<Database> {
  const dataDir = await makeDirectory();
  const given = process.env.DATABASE_URL;
  const { url, bareUrl, close } = given ? await createIn(given) : await embeddedIn(dataDir);
  const drop = async () => {
    open.delete(drop);
    await close();
    await removeDirectory(dataDir);
  };
  open.add(drop);
  return { url, bareUrl, dataDir, version: await versionOf(url), drop };
}

async function embeddedIn(dataDir: string) {
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir });
  return { url, bareUrl: superuserUrl, close: stop };
}

async function createIn(server: string) {
  const name = `commerce_bench_${process.pid}_${Date.now()}`;
  await run(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, bareUrl: url.href, close: () => run(server, `drop database ${name} with (force)`) };
}

async function versionOf(url: string): Promise<string> {
  const [row] = await run(url, 'show server_version');
  return String(row?.server_version).split(' ')[0] ?? '';
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
