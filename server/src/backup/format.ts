/**
 * A backup is one gzip file: an identifying line, then frames, each with a kind (one byte), a length (four) and
 * content. The header comes first; then, for each table, its rows in COPY's text format, their number and SHA-256; then
 * the sequences; then each stored file, its bytes and SHA-256; last an end frame, without which the file counts as cut
 * off. The export of a site has the same form: its header names the site, and it has no sequences.
 */

import { createHash, type Hash, type JsonWebKey } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decrypted, type FileKey } from './encryption.ts';

export const FORMAT = 2;
/** Format 1 has no files. */
const OLDEST_FORMAT = 1;
const MAGIC = Buffer.from('commerce-server backup\n');
const HEAD_BYTES = 5;
/** PostgreSQL sends rows in chunks of about 64 KB; a longer chunk is a single row, which PostgreSQL limits to 1 GB. */
const LONGEST_FRAME = 2 ** 30 + 2 ** 20;

const KINDS = {
  ...{ header: 'H', table: 'T', rows: 'D', tableEnd: 'E', sequences: 'S' },
  ...{ file: 'F', bytes: 'B', fileEnd: 'G', end: 'Z' },
} as const;
type Kind = keyof typeof KINDS;

export interface TableColumns {
  /** The table's name with its schema, quoted where necessary. */
  table: string;
  columns: string[];
}

export interface Header {
  format: number;
  made_at: string;
  /** The version of the package that wrote the file. */
  release: string;
  postgresql: string;
  /** The migrations applied to the database, oldest first. */
  migrations: string[];
  /** The newest migration of the job queue. */
  queue: number;
  /** A fingerprint of SECRET_KEY, which identifies the key without revealing it. */
  secret_key: string;
  tables: TableColumns[];
  /** Whether the backup contains stored files; absent in format 1, which contains none. */
  files?: boolean;
  /** The exported site; absent in a backup. */
  site?: ExportedSite;
  /** The orders of the exported site that wait for an invoice or credit note; absent in files of older releases. */
  documents_due?: DueDocument[];
  /** Present only in an encrypted site export (`--keep-secrets`). */
  secrets?: ExportedSecrets;
}

export interface DueDocument {
  order_id: string;
  /** Whether staff requested the invoice. */
  by_hand: boolean;
}

/** The secrets of an exported site, decrypted, and its jobs. */
export interface ExportedSecrets {
  webhooks: { id: string; secret: string; previous_secret: string | null }[];
  account: { secret_key: string | null; webhook_secret: string | null } | null;
  /** The keys that sign requests to UCP platforms, with the private key in PEM; absent in files of older releases. */
  signing_keys?: { kid: string; public_key: JsonWebKey; pem: string; created_at: string }[];
  staff: {
    id: string;
    password_hash: string;
    second_factor: { secret: string; turned_on_at: string | null; last_step: number; recovery_codes: string[] } | null;
  }[];
  jobs: {
    task: string;
    payload: Record<string, unknown>;
    run_at: string;
    max_attempts: number;
    priority: number;
  }[];
}

/** Facts about an exported site for the header, so that an import can check them before it reads any rows. */
export interface ExportedSite {
  site_id: string;
  merchant_id: string;
  name: string;
  /** Payments that were pending; the exporting server continues them unless `final`. */
  open_payments: number;
  /**
   * Whether the site was closed on the exporting server (`site export --final`); missing in files of older releases.
   */
  final?: boolean;
  /** Whether the site has a payment account. Only an encrypted export contains its keys. */
  has_payment_account: boolean;
}

export interface TableEnd {
  rows: number;
  bytes: number;
  sha256: string;
}

export interface Sequence {
  sequence: string;
  last_value: string;
  is_called: boolean;
}

export interface FileHead {
  key: string;
  content_type: string;
}

export interface FileEnd {
  bytes: number;
  sha256: string;
}

export type Frame =
  | { kind: 'header'; header: Header }
  | { kind: 'table'; index: number }
  | { kind: 'rows'; rows: Buffer }
  | { kind: 'tableEnd'; end: TableEnd }
  | { kind: 'sequences'; sequences: Sequence[] }
  | { kind: 'file'; file: FileHead }
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'fileEnd'; end: FileEnd }
  | { kind: 'end'; tables: number };

/** Thrown if a file is not a backup, or is damaged or incomplete. */
export class DamagedBackup extends Error {
  constructor(file: string, why: string) {
    super(`${file} cannot be restored: ${why}.`);
    this.name = 'DamagedBackup';
  }
}

export function opening(): Buffer {
  return MAGIC;
}

export function encode(frame: Frame): Buffer {
  switch (frame.kind) {
    case 'header':
      return framed('header', frame.header);
    case 'table':
      return framed('table', frame.index);
    case 'rows':
      return Buffer.concat([headOf('rows', frame.rows.length), frame.rows]);
    case 'bytes':
      return Buffer.concat([headOf('bytes', frame.bytes.length), frame.bytes]);
    case 'tableEnd':
      return framed('tableEnd', frame.end);
    case 'sequences':
      return framed('sequences', frame.sequences);
    case 'file':
      return framed('file', frame.file);
    case 'fileEnd':
      return framed('fileEnd', frame.end);
    case 'end':
      return framed('end', frame.tables);
  }
}

function framed(kind: Kind, content: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(content));
  return Buffer.concat([headOf(kind, bytes.length), bytes]);
}

function headOf(kind: Kind, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(KINDS[kind], 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

/** Yields the frames of a file. Throws DamagedBackup if it is not a backup, or is incomplete or changed. */
export async function* readFrames(file: string, key?: FileKey): AsyncGenerator<Frame> {
  const bytes = new Bytes(file, key ? await decrypted(file, key) : createReadStream(file));
  try {
    if (!(await bytes.take(MAGIC.length)).equals(MAGIC)) throw new DamagedBackup(file, 'it is not a backup');
    for (;;) {
      const head = await bytes.take(HEAD_BYTES);
      const length = head.readUInt32BE(1);
      if (length > LONGEST_FRAME) throw new DamagedBackup(file, 'it is damaged');
      const frame = decode(file, head.toString('latin1', 0, 1), await bytes.take(length));
      yield frame;
      if (frame.kind === 'end') break;
    }
    if (await bytes.more()) throw new DamagedBackup(file, 'it contains data after its end');
  } catch (error) {
    throw readable(file, error);
  } finally {
    bytes.close();
  }
}

function decode(file: string, letter: string, content: Buffer): Frame {
  if (letter === KINDS.rows) return { kind: 'rows', rows: content };
  if (letter === KINDS.bytes) return { kind: 'bytes', bytes: content };
  const value: unknown = JSON.parse(content.toString());
  switch (letter) {
    case KINDS.header: {
      const { format } = (value ?? {}) as Partial<Header>;
      if (typeof format !== 'number' || !(format >= OLDEST_FORMAT)) throw new DamagedBackup(file, 'it is damaged');
      if (format > FORMAT) {
        throw new DamagedBackup(file, `its format is ${format}, but this release reads ${FORMAT}: use a newer release`);
      }
      if (!isHeader(value)) throw new DamagedBackup(file, 'its header is damaged');
      return { kind: 'header', header: value };
    }
    case KINDS.table:
      return { kind: 'table', index: value as number };
    case KINDS.tableEnd:
      return { kind: 'tableEnd', end: value as TableEnd };
    case KINDS.sequences:
      return { kind: 'sequences', sequences: value as Sequence[] };
    case KINDS.file:
      return { kind: 'file', file: value as FileHead };
    case KINDS.fileEnd:
      return { kind: 'fileEnd', end: value as FileEnd };
    case KINDS.end:
      return { kind: 'end', tables: value as number };
    default:
      throw new DamagedBackup(file, 'it is damaged');
  }
}

const isText = (value: unknown) => typeof value === 'string' && !/\p{Cc}/u.test(value);
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a value is a valid header. Files are not trusted, and parts of the header are compared and printed. */
function isHeader(value: unknown): value is Header {
  const { made_at, release, migrations, tables, site } = value as Partial<Header>;
  const named = Array.isArray(tables) && tables.every((one) => isText(one?.table) && areTexts(one?.columns));
  if (!named || !areTexts(migrations) || !isText(made_at) || !isText(release)) return false;
  if (site === undefined) return true;
  return isText(site?.name) && UUID.test(site.site_id) && UUID.test(site.merchant_id);
}

/** Converts errors of decryption, zlib and the JSON parser to readable ones. */
function readable(file: string, error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (code === 'Z_BUF_ERROR') return new DamagedBackup(file, 'it was cut off');
  if (code === 'Z_DATA_ERROR') {
    return new DamagedBackup(file, /incorrect header/.test(String(error)) ? 'it is not a backup' : 'it is damaged');
  }
  if (/unable to authenticate/.test(String(error))) return new DamagedBackup(file, 'it is damaged');
  return error instanceof SyntaxError ? new DamagedBackup(file, 'it is damaged') : error;
}

/** The uncompressed bytes of a file, read on demand. */
class Bytes {
  readonly #file: string;
  readonly #source: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #size = 0;

  constructor(file: string, source: Readable) {
    this.#file = file;
    this.#source = source;
    const gunzip = createGunzip();
    this.#source.once('error', (error) => gunzip.destroy(error));
    this.#chunks = this.#source.pipe(gunzip)[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#size < count) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new DamagedBackup(this.#file, 'it was cut off');
      this.#held.push(value);
      this.#size += value.length;
    }
    const all = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    this.#held = [all.subarray(count)];
    this.#size -= count;
    return all.subarray(0, count);
  }

  async more(): Promise<boolean> {
    return this.#size > 0 || !(await this.#chunks.next()).done;
  }

  close(): void {
    this.#source.destroy();
  }
}

/** Counts and hashes the rows of one table. In COPY's text format, a newline ends each row and occurs nowhere else. */
export class RowCounter {
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;
  #bytes = 0;

  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#bytes += piece.length;
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) this.#rows += 1;
  }

  end(): TableEnd {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** Counts and hashes the bytes of one file. */
export class FileCounter {
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;

  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#bytes += piece.length;
  }

  end(): FileEnd {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
