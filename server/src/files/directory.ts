import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKey } from './keys.ts';
import type { FileStore } from './store.ts';

/** Stores files in a directory. Unfinished files are on the same disk, so that a rename stores them atomically. */
export function directoryStore(dataDir: string): FileStore {
  const root = join(dataDir, 'files');
  const placeOf = (key: string) => {
    if (!isKey(key)) throw new Error(`Not a key of the file store: ${key.slice(0, 200)}`);
    return join(root, key);
  };
  return {
    scratch: join(root, '.unfinished'),
    async put(key, { path }) {
      const place = placeOf(key);
      await mkdir(dirname(place), { recursive: true });
      await rename(path, place);
    },
    async open(key) {
      const handle = await open(placeOf(key)).catch(unlessMissing);
      if (!handle) return undefined;
      const { size } = await handle.stat();
      return { bytes: size, stream: handle.createReadStream() };
    },
    async remove(key) {
      await rm(placeOf(key), { force: true });
    },
    async removeAll(site_id) {
      await rm(join(root, site_id), { recursive: true, force: true });
    },
  };
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
