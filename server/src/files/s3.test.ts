import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openS3 } from '../../test/s3.ts';
import { s3Store } from './s3.ts';

test('stores and returns files with signed requests, and throws on an error from the bucket', async () => {
  const s3 = await openS3();
  onTestFinished(() => s3.close());
  const store = s3Store(s3.settings);
  const folder = mkdtempSync(join(tmpdir(), 'commerce-s3-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'picture');
  const content = Buffer.alloc(300_000, 'picture ');
  const sha256 = createHash('sha256').update(content).digest('hex');
  const put = (to: typeof store) => {
    writeFileSync(path, content);
    return to.put('site/name/320.webp', { path, bytes: content.length, sha256, content_type: 'image/webp' });
  };
  await put(store);
  expect(existsSync(path)).toBe(false);
  expect([...s3.objects.keys()]).toEqual(['/pictures/site/name/320.webp']);

  const found = await store.open('site/name/320.webp');
  expect(found?.bytes).toBe(content.length);
  expect(found && (await buffer(found.stream)).equals(content)).toBe(true);
  await store.remove('site/name/320.webp');
  await store.remove('site/name/320.webp');
  expect(await store.open('site/name/320.webp')).toBeUndefined();

  const stranger = s3Store({ ...s3.settings, secretAccessKey: 'another secret' });
  await expect(put(stranger)).rejects.toThrow('403');
  expect(existsSync(path)).toBe(true);
});
