import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import type { RowOf } from '../db/row-of.ts';
import { isKey, keyOfOriginal } from '../files/keys.ts';
import type { FileStore } from '../files/store.ts';
import { encode, FileCounter, type FileHead, type Frame } from './format.ts';

/** Progress: number of files and their bytes. */
export interface FileProgress {
  count: number;
  bytes: number;
}

export type OnFile = (progress: FileProgress) => void;

const FILES_AT_A_TIME = 500;

interface Row extends RowOf<'files', 'site_id' | 'id' | 'name' | 'content_type' | 'status'> {
  pictures: string[];
}

/**
 * Yields the frames of the files in the table `files`, as the client's transaction sees it: the images of ready files,
 * of one site or all, and the originals of those that wait for processing. A file missing in the store is skipped and
 * counted: it may have been deleted since the snapshot.
 */
export async function* filesOut(
  client: pg.ClientBase,
  store: FileStore,
  onFile: OnFile,
  site_id?: string,
): AsyncGenerator<Buffer, number> {
  const sum = { count: 0, bytes: 0 };
  let missing = 0;
  for await (const file of filesNamed(client, site_id)) {
    const kept = isKey(file.key) ? await store.open(file.key) : undefined;
    if (!kept) {
      missing += 1;
      continue;
    }
    yield encode({ kind: 'file', file });
    const counter = new FileCounter();
    for await (const bytes of kept.stream as AsyncIterable<Buffer>) {
      counter.add(bytes);
      yield encode({ kind: 'bytes', bytes });
    }
    const end = counter.end();
    if (end.bytes !== kept.bytes)
      throw new Error(`The file store sent ${end.bytes} of ${kept.bytes} bytes of ${file.key}.`);
    sum.count += 1;
    sum.bytes += end.bytes;
    onFile(sum);
    yield encode({ kind: 'fileEnd', end });
  }
  return missing;
}

async function* filesNamed(client: pg.ClientBase, site_id: string | undefined): AsyncGenerator<FileHead> {
  let after: [string, string] = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await client.query<Row>(
      `select site_id, id, name, content_type, status,
          array(select regexp_replace(s->>'url', '^.*/', '') from jsonb_array_elements(sources) s) as pictures
        from commerce.files where status in ('ready', 'processing') and (site_id, id) > ($1::uuid, $2::uuid)
          and site_id = coalesce($3::uuid, site_id)
        order by site_id, id limit ${FILES_AT_A_TIME}`,
      [...after, site_id ?? null],
    );
    for (const { site_id, name, content_type, status, pictures } of rows) {
      if (status === 'processing') yield { key: keyOfOriginal(site_id, name), content_type };
      else for (const part of pictures) yield { key: `${site_id}/${name}/${part}`, content_type: 'image/webp' };
    }
    const last = rows.at(-1);
    if (!last || rows.length < FILES_AT_A_TIME) return;
    after = [last.site_id, last.id];
  }
}

/**
 * Stores one file of a backup from its frames. With `site_id`, accepts only a file of that site. Returns its size in
 * bytes.
 */
export async function fileIn(
  store: FileStore,
  file: FileHead,
  frames: AsyncGenerator<Frame>,
  site_id?: string,
): Promise<number> {
  if (!isKey(file.key, site_id))
    throw new Error(`The file has an image in a place that does not belong to it: ${file.key}`);
  await mkdir(store.scratch, { recursive: true });
  const folder = await mkdtemp(join(store.scratch, 'arriving-'));
  try {
    const path = join(folder, 'file');
    const counter = new FileCounter();
    await pipeline(async function* content() {
      for (;;) {
        const { value: frame } = await frames.next();
        if (frame?.kind !== 'bytes') return;
        counter.add(frame.bytes);
        yield frame.bytes;
      }
    }, createWriteStream(path));
    const { bytes, sha256 } = counter.end();
    await store.put(file.key, { path, bytes, sha256, content_type: file.content_type });
    return bytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
