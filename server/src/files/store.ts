import type { Readable } from 'node:stream';

/** Where files are kept: a directory that all processes of an installation share, or an S3-compatible store. */
export interface FileStore {
  /** A directory of this machine for files that are not whole yet. */
  readonly scratch: string;
  /** Keeps a file of this machine under a key, whole or not at all; the given file is gone afterwards. */
  put(key: string, file: LocalFile): Promise<void>;
  /** What is kept under a key; undefined when there is nothing. */
  open(key: string): Promise<KeptFile | undefined>;
  /** Nothing is kept under the key any more; it need not have been. */
  remove(key: string): Promise<void>;
  /** Nothing of a site is kept any more. */
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

/** Where a store is, as far as it is configured. */
export interface StoreSettings {
  dataDir: string;
  s3: S3Settings | undefined;
}

export interface S3Settings {
  /** Without a slash at the end. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}
