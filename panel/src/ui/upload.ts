import { unwrap } from '@commerce-backend/sdk';
import { api, type Schemas } from '../api.ts';

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

const MOST_BYTES = 20 * 1024 * 1024;
const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 60_000;

/**
 * Uploads an image: announces it, sends its bytes once, and waits until the server has resized it. Throws errors with
 * messages for users.
 */
export async function uploadPicture(file: File): Promise<Schemas['StoredFile'] & { url: string }> {
  const content_type = PICTURE_TYPES.find((type) => type === file.type);
  if (!content_type) throw new Error(`${file.name} is not a JPEG, PNG or WebP picture.`);
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 20 MB.`);
  if (file.size === 0) throw new Error(`${file.name} is empty.`);
  const bytes = await file.arrayBuffer();
  const body = {
    filename: file.name.slice(0, 255) || 'picture',
    content_type,
    bytes: bytes.byteLength,
    sha256: hex(await crypto.subtle.digest('SHA-256', bytes)),
  };
  const { id, upload_url } = await unwrap(api.POST('/api/dashboard/files', { body }));
  // The server accepts uploads at the host of this page, whatever host the upload URL has.
  const { pathname } = new URL(upload_url);
  const answer = await fetch(pathname, {
    method: 'PUT',
    body: bytes,
    headers: { 'Content-Type': content_type },
    credentials: 'omit',
  });
  if (!answer.ok) throw new Error(`${file.name} was not fully uploaded. Try again.`);
  return made(id, file.name);
}

async function made(file_id: string, name: string): Promise<Schemas['StoredFile'] & { url: string }> {
  const params = { path: { file_id } };
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const file = await unwrap(api.GET('/api/dashboard/files/{file_id}', { params }));
    if (file.status === 'failed') throw new Error(`${name}: ${file.failure?.message ?? 'it cannot be read.'}`);
    if (file.url !== null) return { ...file, url: file.url };
    await new Promise((wait) => setTimeout(wait, LOOK_EVERY_MS));
  }
  throw new Error(`${name} takes longer than usual. Try again later.`);
}

function hex(digest: ArrayBuffer): string {
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
