/**
 * Encrypts a site export to the one-time public key of the server that imports it (X25519, HKDF-SHA-256, AES-256-GCM).
 * The file has an identifying line, the public key of the receiver, the sender's public key for this file, the
 * encrypted bytes, and the authentication tag. The nonce is constant, because each file has its own key.
 */

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const MAGIC = Buffer.from('commerce-server encrypted site\n');
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + 2 * KEY_BYTES;
const NONCE = Buffer.alloc(12);
const PREFIX = 'rcv_';

/** A key pair for one import. */
export interface ReceiverKeys {
  publicKey: Buffer;
  /** PKCS #8. */
  privateKey: Buffer;
}

export function newReceiverKeys(): ReceiverKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { publicKey: bytesOf(publicKey), privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }) };
}

/** Formats a public key as the text that an operator copies. */
export function textOfKey(publicKey: Buffer): string {
  return PREFIX + publicKey.toString('base64url');
}

/** Parses the text of a public key. Throws an Error with instructions. */
export function keyOfText(text: string): Buffer {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  if (text.startsWith(PREFIX) && bytes.length === KEY_BYTES) return bytes;
  throw new Error('--keep-secrets needs the key that commerce-server site receive prints on the other server (rcv_…).');
}

/** The key of one encrypted file, with the bytes before its content. */
export interface FileKey {
  head: Buffer;
  key: Buffer;
}

export function newFileKey(receiver: Buffer): FileKey {
  const sender = generateKeyPairSync('x25519');
  const head = Buffer.concat([MAGIC, receiver, bytesOf(sender.publicKey)]);
  return { head, key: derive(head, sender.privateKey, receiver) };
}

/** The public key of the receiver of an encrypted file; undefined if the file is not encrypted. */
export async function receiverOf(file: string): Promise<Buffer | undefined> {
  const head = await headOf(file);
  return head?.subarray(MAGIC.length, MAGIC.length + KEY_BYTES);
}

/** The key of an encrypted file, from the private key of its receiver. */
export async function openFileKey(file: string, privateKey: Buffer): Promise<FileKey> {
  const head = await headOf(file);
  if (!head) throw new Error(`${file} is not encrypted.`);
  const own = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  return { head, key: derive(head, own, head.subarray(-KEY_BYTES)) };
}

export async function* encrypted({ head, key }: FileKey, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const cipher = createCipheriv('aes-256-gcm', key, NONCE);
  yield head;
  for await (const bytes of source) yield cipher.update(bytes);
  yield cipher.final();
  yield cipher.getAuthTag();
}

/** The decrypted bytes of a file. Changed bytes are only detected at the end. */
export async function decrypted(file: string, { key }: FileKey): Promise<Readable> {
  const handle = await open(file);
  const { size } = await handle.stat();
  const tag = Buffer.alloc(TAG_BYTES);
  await handle.read(tag, 0, TAG_BYTES, size - TAG_BYTES).finally(() => handle.close());
  const decipher = createDecipheriv('aes-256-gcm', key, NONCE).setAuthTag(tag);
  const source = createReadStream(file, { start: HEAD_BYTES, end: size - TAG_BYTES - 1 });
  source.once('error', (error) => decipher.destroy(error));
  return source.pipe(decipher);
}

async function headOf(file: string): Promise<Buffer | undefined> {
  const handle = await open(file);
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0).finally(() => handle.close());
  return bytesRead === HEAD_BYTES && head.subarray(0, MAGIC.length).equals(MAGIC) ? head : undefined;
}

function derive(head: Buffer, privateKey: KeyObject, publicKey: Buffer): Buffer {
  const x = publicKey.toString('base64url');
  const other = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
  const shared = diffieHellman({ privateKey, publicKey: other });
  return Buffer.from(hkdfSync('sha256', shared, head, 'commerce site export', 32));
}

function bytesOf(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}
