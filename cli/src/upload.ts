import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DashboardClient, type Schemas, unwrap } from '@commerce-backend/sdk';
import { CommandError, EXIT, usageError } from './errors.ts';

type StoredFile = Schemas['StoredFile'];

const ASK_EVERY_MS = 500;
const READY_WITHIN_MS = 180_000;
const UPLOAD_WITHIN_MS = 120_000;

/** Hexadecimal file signatures of the image types that the server accepts. */
const TYPES = [
  { content_type: 'image/jpeg', begins: /^ffd8ff/ },
  { content_type: 'image/png', begins: /^89504e470d0a1a0a/ },
  { content_type: 'image/webp', begins: /^52494646.{8}57454250/ },
] as const;

/**
 * Uploads an image, and waits until the server has processed it. Throws a CommandError with the reason if it cannot be
 * used.
 */
export async function uploadPicture(client: DashboardClient, path: string): Promise<StoredFile> {
  const { bytes, content_type } = await look(path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const body = { filename: basename(path), content_type, bytes, sha256: hash.digest('hex') };
  const { id, upload_url } = await unwrap(client.POST('/api/dashboard/files', { body }));
  await send(upload_url, path);
  return ready(client, id, path);
}

async function look(path: string) {
  const handle = await open(path).catch((error: Error) => {
    throw usageError(`${path} cannot be read: ${error.message}`);
  });
  try {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    const type = TYPES.find(({ begins }) => begins.test(buffer.toString('hex')));
    if (!type) throw usageError(`${path} is not a JPEG, PNG or WebP picture.`);
    return { bytes: size, content_type: type.content_type };
  } finally {
    await handle.close();
  }
}

/** The upload URL is a secret itself, so no credentials are sent. */
async function send(address: string, path: string): Promise<void> {
  const signal = AbortSignal.timeout(UPLOAD_WITHIN_MS);
  const response = await fetch(address, { method: 'PUT', body: await openAsBlob(path), signal });
  if (response.ok) return;
  const { error = 'unavailable', message = `The server answered with ${response.status}.` } = (await response
    .json()
    .catch(() => ({}))) as { error?: string; message?: string };
  throw new CommandError(EXIT.refused, error, `${path} was rejected: ${message}`);
}

async function ready(client: DashboardClient, file_id: string, path: string): Promise<StoredFile> {
  for (const until = Date.now() + READY_WITHIN_MS; ; await sleep(ASK_EVERY_MS)) {
    const params = { path: { file_id } };
    const file = await unwrap(client.GET('/api/dashboard/files/{file_id}', { params }));
    if (file.status === 'ready') return file;
    if (file.failure) throw new CommandError(EXIT.refused, file.failure.code, `${path}: ${file.failure.message}`);
    if (Date.now() > until) {
      const remedy = `Check its state: commerce files get ${file_id}`;
      throw new CommandError(EXIT.unreachable, 'timeout', `${path} is still being processed.`, remedy);
    }
  }
}
