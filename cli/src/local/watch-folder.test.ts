import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
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

/** As most editors save: a new file takes the place of the old one. */
async function saveByRename(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

test('reports each of several saves by rename', async () => {
  const { file, changed } = await watched();
  for (let save = 1; save <= 4; save += 1) {
    await saveByRename(file, String(save));
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(save));
    await new Promise((done) => setTimeout(done, 150));
  }
  expect(changed).toHaveBeenCalledTimes(4);
});

test('reports saves in a subfolder that was made later', async () => {
  const { place, changed } = await watched();
  await mkdir(join(place, 'pages'));
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
  for (let save = 2; save <= 3; save += 1) {
    await saveByRename(join(place, 'pages', 'home.js'), String(save));
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(save));
    await new Promise((done) => setTimeout(done, 150));
  }
});
