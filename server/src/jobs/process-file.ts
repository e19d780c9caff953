import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileFailure, StoredFile } from '@commerce-backend/spec';
import type { JobHelpers } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { keyOfOriginal, keyOfPicture, keysOf } from '../files/keys.ts';
import type { Renderer } from '../files/renderer.ts';
import type { Picture } from '../files/rendering.ts';
import { receive } from '../files/scratch.ts';
import type { FileStore } from '../files/store.ts';
import { ShopError } from '../shop/errors.ts';
import * as files from '../shop/files/files.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import * as images from '../shop/products/images.ts';

export interface FileDeps {
  db: Pool;
  files: FileStore;
  renderer: Renderer;
  /** The configured base URL, with which image URLs begin. */
  baseUrl: string;
  logger: Logger;
}

interface FileJob {
  site_id: string;
  file_id: string;
}

/**
 * Number of attempts after which a file is marked as failed, for example because its original is missing, or because it
 * crashes the process that decodes it.
 */
const MOST_ATTEMPTS = 8;

/**
 * Creates the resized images of an uploaded file. Stores all images before the row refers to them, and deletes the
 * original last. Thus an interrupted run can start again, and pages show either no image or all sizes.
 */
export function processFile(deps: FileDeps) {
  return async (payload: unknown, { job }: Pick<JobHelpers, 'job'>): Promise<void> => {
    const { site_id, file_id } = payload as FileJob;
    const file = await inShopAsSystem(deps.db, site_id, (shop) => files.find(shop, file_id));
    if (!file) return;
    if (file.status === 'processing') {
      const outcome = await make(deps, site_id, file).catch((cause: Error) => {
        if (job.attempts < MOST_ATTEMPTS) throw cause;
        deps.logger.error({ job: 'process_file', site_id, file_id, cause }, 'the file could not be processed');
        return 'not_processed' as const;
      });
      await decide(deps.db, site_id, file_id, outcome);
    }
    const { status } = (await inShopAsSystem(deps.db, site_id, (shop) => files.find(shop, file_id))) ?? {};
    if (status === 'ready') {
      await inShopAsSystem(deps.db, site_id, (shop) => images.showFile(shop, file_id));
      await deps.files.remove(keyOfOriginal(site_id, file.name));
    } else if (status === 'failed') {
      await emptyStore(deps.files, site_id, file.name);
    }
  };
}

async function decide(
  db: Pool,
  site_id: string,
  file_id: string,
  outcome: files.Finished | FileFailure['code'],
): Promise<void> {
  const fail = (code: FileFailure['code']) => inShopAsSystem(db, site_id, (shop) => files.fail(shop, file_id, code));
  if (typeof outcome === 'string') return fail(outcome);
  await inShopAsSystem(db, site_id, (shop) => files.finish(shop, file_id, outcome)).catch((error: unknown) => {
    if (error instanceof ShopError && error.code === 'limit_reached') return fail('no_room');
    throw error;
  });
}

type Given = Pick<StoredFile, 'content_type'> & { name: string };

/**
 * Decodes the original of a file and writes its images to the store. Returns the images, or the reason why there are
 * none.
 */
async function make(
  { files: store, renderer, baseUrl }: FileDeps,
  site_id: string,
  { name, content_type }: Given,
): Promise<files.Finished | FileFailure['code']> {
  const original = await store.open(keyOfOriginal(site_id, name));
  if (!original) throw new Error('The original is not in the file store.');
  const { path } = await receive(original.stream, store.scratch, original.bytes);
  await mkdir(store.scratch, { recursive: true });
  const folder = await mkdtemp(join(store.scratch, 'pictures-'));
  try {
    const rendered = await renderer.render({ path, content_type, folder });
    if ('unusable' in rendered) return rendered.unusable;
    let bytes = 0;
    for (const picture of rendered.pictures) bytes += await keep(store, folder, keyOf(site_id, name, picture), picture);
    const sources = rendered.pictures.map((picture) => ({
      url: `${baseUrl}/files/${keyOf(site_id, name, picture)}`,
      width: picture.width,
      height: picture.height,
    }));
    return { sources, bytes };
  } finally {
    await Promise.all([rm(path, { force: true }), rm(folder, { recursive: true, force: true })]);
  }
}

function keyOf(site_id: string, name: string, { size }: Picture): string {
  return keyOfPicture(site_id, name, size);
}

/**
 * Writes one image to the store. Returns its size in bytes. Reads it into memory, because images are at most 1280
 * pixels wide.
 */
async function keep(store: FileStore, folder: string, key: string, { size }: Picture): Promise<number> {
  const path = join(folder, `${size}.webp`);
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await store.put(key, { path, bytes: content.length, sha256, content_type: 'image/webp' });
  return content.length;
}

/** Deletes the stored bytes of a file whose row was deleted. */
export function removeFile({ files: store }: Pick<FileDeps, 'files'>) {
  return async (payload: unknown): Promise<void> => {
    const { site_id, name } = payload as { site_id: string; name: string };
    await emptyStore(store, site_id, name);
  };
}

async function emptyStore(store: FileStore, site_id: string, name: string): Promise<void> {
  for (const key of keysOf(site_id, name)) await store.remove(key);
}
