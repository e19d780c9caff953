import type { FileStore, StoreSettings } from './store.ts';

/** Opens the configured store. Loads only the modules that it needs. */
export async function openStore({ dataDir, s3 }: StoreSettings): Promise<FileStore> {
  if (s3) return (await import('./s3.ts')).s3Store(s3);
  return (await import('./directory.ts')).directoryStore(dataDir);
}
