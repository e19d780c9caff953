import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Editors write a file in several steps, so changes are collected for this time. */
const SETTLED_MS = 50;

/**
 * Calls back after files in a folder or its subfolders have changed. Each folder has its own watcher, because Node's
 * recursive watcher on Linux follows inodes and loses a file at the first save by rename (vim, JetBrains, formatters,
 * `sed -i`).
 */
export function watchFolder(folder: string, changed: () => void): { close: () => void } {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;

  function settle(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      update();
      changed();
    }, SETTLED_MS);
  }

  /** Watches new subfolders, and stops watching removed ones. */
  function update(): void {
    const present = new Set(foldersIn(folder));
    for (const [place, watcher] of watchers) {
      if (present.has(place)) continue;
      watcher.close();
      watchers.delete(place);
    }
    for (const place of present) {
      if (!watchers.has(place)) watchers.set(place, watch(place, settle).on('error', settle));
    }
  }

  update();
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function foldersIn(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))];
}
