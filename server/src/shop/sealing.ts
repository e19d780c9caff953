/**
 * Encrypts texts for the database with AES-256-GCM. The key is not in the database, and each text has a new nonce.
 */

import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export interface Sealing {
  /** 32 bytes. */
  key: Buffer;
  /** Position of the authentication tag: after the nonce or at the end. Stored data has both forms. */
  tag: 'first' | 'last';
  /** The owner of the text, such as the id of its row. Decryption needs the same context. */
  context?: string;
}

export function seal({ key, tag, context }: Sealing, text: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  // With raw key bytes, Node takes three times as long.
  const cipher = createCipheriv(ALGORITHM, createSecretKey(key), nonce);
  if (context !== undefined) cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat(tag === 'first' ? [nonce, cipher.getAuthTag(), sealed] : [nonce, sealed, cipher.getAuthTag()]);
}

/** Decrypts a text. Throws if the key or the context differs, or the bytes were changed. */
export function unseal({ key, tag, context }: Sealing, bytes: Buffer): string {
  const nonce = bytes.subarray(0, NONCE_LENGTH);
  const rest = bytes.subarray(NONCE_LENGTH);
  const [authTag, sealed] =
    tag === 'first'
      ? [rest.subarray(0, TAG_LENGTH), rest.subarray(TAG_LENGTH)]
      : [rest.subarray(-TAG_LENGTH), rest.subarray(0, -TAG_LENGTH)];
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_LENGTH });
  if (context !== undefined) decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(authTag);
  return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
}
