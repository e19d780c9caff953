import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Mock, onTestFinished, test, vi } from 'vitest';
import { folder } from '../testing.ts';
import { watchFolder } from './watch-folder.ts';

async function watched() {
  const place = await folder();
  const file = join(place, 'server.js');
  await writeFile(file, '0');
  const changed = vi.fn();
  const { close } = watchFolder(place, changed);
  onTestFinished(close);
  return { place, file, changed };
}

/** Saves a file like most editors: writes a new file and renames it. */
async function saveByRename(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** A save may be reported twice, if its two steps are further apart than the settling time. */
async function reportsSave(changed: Mock, file: string, text: string): Promise<void> {
  const before = changed.mock.calls.length;
  await saveByRename(file, text);
  await expect.poll(() => changed.mock.calls.length).toBeGreaterThan(before);
  await new Promise((done) => setTimeout(done, 150));
}

test('reports each save that replaces a file with a rename', async () => {
  const { file, changed } = await watched();
  for (const text of ['1', '2', '3', '4']) await reportsSave(changed, file, text);
});

test('reports a save in a subfolder that was created after the start', async () => {
  const { place, changed } = await watched();
  await mkdir(join(place, 'pages'));
  await expect.poll(() => changed).toHaveBeenCalledTimes(1);
  for (const text of ['1', '2']) await reportsSave(changed, join(place, 'pages', 'home.js'), text);
});
