import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { query } from '../db/connect.ts';
import { inTransaction, queryAlone } from '../db/transaction.ts';

// Later starts load only this file, without the content of the demo shop.

/** Contents of `demo.json`: credentials for the demo shop, generated for each installation. */
export interface DemoCredentials {
  base_url: string;
  site_id: string;
  merchant_id: string;
  storefront_token: string;
  api_key: string;
  sync_secret: string;
  staff: { email: string; password: string };
  customers: { email: string; password: string }[];
}

export interface DemoOptions {
  db: Pool;
  dataDir: string;
  baseUrl: string;
  secretKey: string;
}

/**
 * The demo shop of an earlier start; undefined if this database does not have it. Updates the shop's URLs if the
 * server's base URL has changed.
 */
export async function reopenDemo(options: DemoOptions): Promise<DemoCredentials | undefined> {
  const demo = await storedDemo(options);
  return demo && moveAddresses(options, demo);
}

export async function holdsShops(db: Pool): Promise<boolean> {
  const { rowCount } = await queryAlone(db, sql`select from sites limit 1`);
  return rowCount === 1;
}

async function storedDemo({ db, dataDir }: DemoOptions): Promise<DemoCredentials | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const demo = JSON.parse(text) as DemoCredentials;
  const { rowCount } = await queryAlone(db, sql`select from sites where site_id = ${demo.site_id}`);
  return rowCount ? demo : undefined;
}

/** Changes the URLs of images and legal pages to the server's new base URL. */
async function moveAddresses(options: DemoOptions, demo: DemoCredentials): Promise<DemoCredentials> {
  const { db, baseUrl } = options;
  if (demo.base_url === baseUrl) return demo;
  const [from, to] = [imagesAt(demo.base_url), imagesAt(baseUrl)];
  const { site_id } = demo;
  await inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
    await query(
      connection,
      sql`update product_images set url = replace(url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(url, ${from})`,
    );
    await query(
      connection,
      sql`update variants set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update order_lines set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update collections set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update site_settings
        set legal = replace(legal::text, ${`"${demo.base_url}/demo-shop/`}, ${`"${baseUrl}/demo-shop/`})::jsonb
        where site_id = ${site_id}`,
    );
  });
  const moved = { ...demo, base_url: baseUrl };
  await storeDemo(options, moved);
  return moved;
}

function imagesAt(baseUrl: string): string {
  return `${baseUrl}/demo-images/`;
}

/** Writes a temporary file and renames it, so that readers never see a partial file. Only the owner may read it. */
export async function storeDemo({ dataDir }: DemoOptions, demo: DemoCredentials): Promise<void> {
  const draft = `${fileIn(dataDir)}.new`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, fileIn(dataDir));
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
