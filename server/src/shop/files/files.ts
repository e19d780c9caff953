/**
 * The lifecycle of an uploaded file:
 * 1. `announce` reserves storage for its bytes and returns an upload URL that works once.
 * 2. `expected` returns what the upload must contain; the caller stores the bytes.
 * 3. `markUploaded` invalidates the URL and enqueues the job process_file, which creates the images.
 * 4. `finish` or `fail` ends the processing. Both can be repeated.
 * 5. Unused files are deleted (unused.ts), and the job remove_file deletes their bytes.
 */

import { randomBytes } from 'node:crypto';
import type { FileInput, FileUpload, StoredFile } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';
import { sentenceOf } from './failures.ts';

const UPLOAD_WITHIN = sql`interval '15 minutes'`;
/** Grace period for an upload that began before its deadline. */
const UPLOAD_GRACE = sql`interval '5 minutes'`;

/** Registers an upload and returns its URL. Throws `limit_reached` if the file exceeds the shop's storage limit. */
export async function announce(shop: Shop, input: FileInput, baseUrl: string): Promise<FileUpload> {
  const { filename, content_type, bytes, sha256 } = input;
  const token = mintToken('upload');
  const id = newId();
  const name = randomBytes(16).toString('hex');
  const inserted = shop.one<RowOf<'files', 'expires_at'>>(
    sql`insert into files (site_id, id, filename, content_type, bytes, held_bytes, sha256, name, token_hash, expires_at)
      values (${shop.siteId}, ${id}, ${filename}, ${content_type}, ${bytes}, ${bytes}, ${sha256}, ${name},
        ${hashToken(token)}, now() + ${UPLOAD_WITHIN})
      returning expires_at`,
  );
  const row = await inserted.catch((error: unknown) => {
    throw isNoRoom(error) ? noRoom() : error;
  });
  if (!row) throw new Error('The file was not inserted.');
  return { id, upload_url: `${baseUrl}/uploads/${shop.siteId}/${token}`, expires_at: row.expires_at };
}

function isNoRoom(error: unknown): boolean {
  return (error as { constraint?: string }).constraint === 'file_room';
}

function noRoom(): ShopError {
  return new ShopError('limit_reached', 'The file would exceed the storage limit of the shop.', {
    unit: 'bytes',
  });
}

/** The announced file of an upload, with the size, hash and content type that the upload must have. */
export type Expected = RowOf<'files', 'id' | 'name' | 'bytes' | 'sha256' | 'content_type'>;

/** Returns the upload that a token allows. Throws `not_found`, `gone`, or `conflict` if the token was used. */
export async function expected(shop: Shop, token: string): Promise<Expected> {
  const file = isWellFormed('upload', token) && (await fileOf(shop, token));
  if (!file) throw notFound('upload');
  if (file.status !== 'awaiting_upload') throw alreadyUploaded();
  if (file.expired) throw new ShopError('gone', 'The upload address has expired. Announce the file again.');
  return file;
}

function fileOf(shop: Shop, token: string) {
  return shop.one<Expected & RowOf<'files', 'status'> & { expired: boolean }>(
    sql`select id, name, bytes, sha256, content_type, status, expires_at <= now() as expired
      from files where site_id = ${shop.siteId} and token_hash = ${hashToken(token)}`,
  );
}

function alreadyUploaded(): ShopError {
  return new ShopError('conflict', 'This file was already uploaded.');
}

/**
 * Records that the bytes are stored, and enqueues their processing. Throws `conflict` if another upload was faster or
 * the deadline has passed.
 */
export async function markUploaded(shop: Shop, id: string): Promise<StoredFile> {
  const marked = await shop.run(
    sql`update files set status = 'processing', changed_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status = 'awaiting_upload' and expires_at > now() - ${UPLOAD_GRACE}`,
  );
  if (marked === 0) throw alreadyUploaded();
  await shop.run(sql`select enqueue_file(${shop.siteId}, ${id})`);
  return get(shop, id);
}

const columns = selectList<FileRow>({
  id: sql`id`,
  filename: sql`filename`,
  content_type: sql`content_type`,
  bytes: sql`bytes`,
  status: sql`status`,
  failure: sql`failure`,
  url: sql`url`,
  width: sql`width`,
  height: sql`height`,
  sources: sql`sources`,
  created_at: sql`created_at`,
});

/** Returns a file. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<StoredFile> {
  const row = await shop.one<FileRow>(sql`select ${columns} from files where site_id = ${shop.siteId} and id = ${id}`);
  if (!row) throw notFound('file');
  const { failure, ...file } = row;
  return { ...file, failure: failure && { code: failure, message: sentenceOf(failure) } };
}

type FailureCode = NonNullable<StoredFile['failure']>['code'];
type FileRow = Omit<StoredFile, 'failure'> & { failure: FailureCode | null };

/** Returns a file for the processing job; undefined if it was deleted. */
export function find(shop: Shop, id: string) {
  return shop.one<Pick<StoredFile, 'content_type' | 'status'> & RowOf<'files', 'name'>>(
    sql`select name, content_type, status from files where site_id = ${shop.siteId} and id = ${id}`,
  );
}

/** The resized images of a file, narrowest first. */
export interface Finished {
  sources: StoredFile['sources'];
  /** Total size of all images. */
  bytes: number;
}

/**
 * Records that the images are stored. Does nothing if the file has already been finished or has failed. Throws
 * `limit_reached` if the images exceed the shop's storage limit.
 */
export async function finish(shop: Shop, id: string, { sources, bytes }: Finished): Promise<void> {
  const widest = sources.at(-1);
  const finished = shop.run(
    sql`update files set status = 'ready', url = ${widest?.url}, width = ${widest?.width}, height = ${widest?.height},
        sources = ${JSON.stringify(sources)}::jsonb, held_bytes = ${bytes}, changed_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status = 'processing'`,
  );
  await finished.catch((error: unknown) => {
    throw isNoRoom(error) ? noRoom() : error;
  });
}

/**
 * Marks a file as failed, and removes the product images that waited for it. Failed files do not count toward the
 * storage limit.
 */
export async function fail(shop: Shop, id: string, failure: FailureCode): Promise<void> {
  const failed = await shop.run(
    sql`update files set status = 'failed', failure = ${failure}, held_bytes = 0, changed_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status = 'processing'`,
  );
  if (failed === 0) return;
  await shop.run(sql`delete from pending_images where site_id = ${shop.siteId} and file_id = ${id}`);
}

/**
 * Deletes the rows of files with the statement `deleted`, and enqueues the deletion of their bytes. Returns the number
 * of files.
 */
export async function removeKept(shop: Shop, deleted: Sql): Promise<number> {
  const names = await shop.rows<RowOf<'files', 'name'>>(deleted);
  const jobs = names.map(({ name }) => JSON.stringify({ site_id: shop.siteId, name }));
  if (jobs.length > 0) await shop.run(sql`select enqueue_all('remove_file', ${jobs}::json[], now())`);
  return jobs.length;
}
