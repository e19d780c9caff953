import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

/** Texts kept in the database under a key that it does not know, by AES-256-GCM with a nonce of their own. */
const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export interface Sealing {
  /** 32 bytes. */
  key: Buffer;
  /** Where the tag is: after the nonce or at the end. It must stay where it is in what is stored already. */
  tag: 'first' | 'last';
  /** What the text belongs to, such as the id of its row: without it, the text cannot be opened. */
  context?: string;
}

export function seal({ key, tag, context }: Sealing, text: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  // Given the bytes themselves, Node takes three times as long.
  const cipher = createCipheriv(ALGORITHM, createSecretKey(key), nonce);
  if (context !== undefined) cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat(tag === 'first' ? [nonce, cipher.getAuthTag(), sealed] : [nonce, sealed, cipher.getAuthTag()]);
}

/** Throws when the text was sealed with another key or in another context, or was changed since. */
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
