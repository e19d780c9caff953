import type { Readable } from 'node:stream';

/** Stores uploaded files: in a directory that all server processes share, or in an S3-compatible bucket. */
export interface FileStore {
  /** A local directory for unfinished files. */
  readonly scratch: string;
  /** Stores a local file under a key, atomically. The local file is moved. */
  put(key: string, file: LocalFile): Promise<void>;
  /** Opens a stored file; undefined if it does not exist. */
  open(key: string): Promise<KeptFile | undefined>;
  /** Deletes a file, if it exists. */
  remove(key: string): Promise<void>;
  /** Deletes all files of a site. */
  removeAll(site_id: string): Promise<void>;
}

export interface LocalFile {
  path: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  content_type: string;
}

export interface KeptFile {
  bytes: number;
  stream: Readable;
}

export interface StoreSettings {
  dataDir: string;
  s3: S3Settings | undefined;
}

export interface S3Settings {
  /** Without a trailing slash. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}
