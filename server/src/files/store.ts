import type { Readable } from 'node:stream';

/** The file store: a directory that all processes of an installation share, or an S3-compatible store. */
export interface FileStore {
  /** A local directory for unfinished files. */
  readonly scratch: string;
  /** Stores a local file under a key, atomically; moves the given file. */
  put(key: string, file: LocalFile): Promise<void>;
  /** Opens a stored file; undefined if there is none. */
  open(key: string): Promise<KeptFile | undefined>;
  /** Deletes a file if it exists. */
  remove(key: string): Promise<void>;
  /** Deletes all files of a site. */
  removeAll(site_id: string): Promise<void>;
}

export interface LocalFile {
  path: string;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  content_type: string;
}

export interface KeptFile {
  bytes: number;
  stream: Readable;
}

/** Settings of the store. */
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
