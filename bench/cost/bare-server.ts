import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Database, openDatabase } from '../database.ts';
import { shopperAt } from '../flows.ts';
import { endWithBench, failed, type Running, ready, stop } from '../processes.ts';
import { fillBare } from './bare-tables.ts';
import { postmasterOf } from './cpu.ts';
import type { Target } from './play.ts';
import { rest } from './shop.ts';

/** The bare server, with its own database. */
export interface Bare {
  database: Database;
  postmaster: number;
  server: Running;
  variant_ids: string[];
}

export async function openBare(products: number): Promise<Bare> {
  const database = await openDatabase();
  try {
    const variant_ids = await fillBare(database.url, products);
    const postmaster = await postmasterOf(database.url);
    await rest(database.bareUrl, postmaster);
    return { database, postmaster, server: await startBare(database.url), variant_ids };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

export async function closeBare({ server, database }: Bare): Promise<void> {
  await stop(server);
  await database.drop();
}

export async function startBare(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const port = await freePort();
  const { PATH } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts'), databaseUrl, String(port)], {
    env: { PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithBench(child);
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ready(url), failed(child, 'The bare server')]);
  return { url, process: child };
}

export function bareTarget({ server, postmaster, variant_ids }: Bare, clients: number): Target {
  // The bare server ignores credentials.
  const site = { site_id: '', storefront_token: '', api_key: '', sync_secret: '' };
  const goods = { variant_ids, shipping_option_id: '' };
  const shoppers = Array.from({ length: clients }, () => shopperAt(server.url, site, goods));
  return { shoppers, server: server.process.pid ?? 0, postmaster };
}
