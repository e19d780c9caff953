import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newDatabase } from '../../test/other-server.ts';
import { openS3 } from '../../test/s3.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { backup } from '../commands/backup.ts';
import { restore } from '../commands/restore.ts';
import { type Config, readConfig } from '../config.ts';
import { verify } from './verify.ts';

const PICTURE = Buffer.alloc(200_000, 'a picture, ');

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'commerce-backed-up-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function givenDatabase(migrated: boolean): Promise<string> {
  const { url, drop } = await newDatabase({ migrated });
  onTestFinished(drop);
  return url;
}

/** Sets up an installation whose site has two images, one of which is missing in its store. */
async function givenPictures(): Promise<{ config: Config; key: string }> {
  const [url, dataDir, site_id] = [await givenDatabase(true), givenFolder(), randomUUID()];
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`select set_config('app.site_id', $1, false)`, [site_id]);
  await client.query(
    `insert into commerce.sites (site_id, merchant_id, merchant_name, currency, currency_digits)
      values ($1, gen_random_uuid(), 'Alder', 'EUR', 2)`,
    [site_id],
  );
  const names = ['a', 'b'].map((letter) => letter.repeat(32));
  for (const name of names) {
    const sources = [{ url: `http://localhost/files/${site_id}/${name}/320.webp`, width: 320, height: 200 }];
    await client.query(
      `insert into commerce.files (site_id, id, filename, content_type, bytes, sha256, status, held_bytes, name, token_hash,
          expires_at, url, sources)
        values ($1, gen_random_uuid(), 'mug.jpg', 'image/jpeg', 9, '', 'ready', $4, $2::text, sha256(convert_to($2::text, 'UTF8')), now(), '', $3)`,
      [site_id, name, JSON.stringify(sources), PICTURE.length],
    );
  }
  await client.end();
  const key = `${site_id}/${names[0]}/320.webp`;
  mkdirSync(dirname(join(dataDir, 'files', key)), { recursive: true });
  writeFileSync(join(dataDir, 'files', key), PICTURE);
  return { config: readConfig({ DATABASE_URL: url, DATA_DIR: dataDir, SECRET_KEY }), key };
}

/** Returns the messages that the work prints at the terminal. */
async function messagesOf(work: () => Promise<void>): Promise<string> {
  const messages: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => messages.push(String(text)) > 0);
  await work().finally(() => write.mockRestore());
  return messages.join('');
}

test('restores stored files to a folder and to an S3 bucket, and reports missing files', async () => {
  const { config, key } = await givenPictures();
  const file = join(givenFolder(), 'shop.backup');

  expect(await messagesOf(() => backup(config, file))).toMatch(
    /1 files, .* MB, verified[\s\S]*1 files .* missing in the file store/,
  );

  const dataDir = givenFolder();
  const there = readConfig({ DATABASE_URL: await givenDatabase(false), DATA_DIR: dataDir, SECRET_KEY });
  expect(await messagesOf(() => restore(there, file, { otherKey: false }))).toContain('1 files');
  expect(readFileSync(join(dataDir, 'files', key)).equals(PICTURE)).toBe(true);

  const s3 = await openS3();
  onTestFinished(() => s3.close());
  const inBucket = { ...there, databaseUrl: await givenDatabase(false), databaseDirectUrl: undefined, s3: s3.settings };
  await messagesOf(() => restore(inBucket, file, { otherKey: false }));
  expect(s3.objects.get(`/pictures/${key}`)?.equals(PICTURE)).toBe(true);
  const again = join(givenFolder(), 'again.backup');
  await messagesOf(() => backup(inBucket, again));
  expect((await verify(again)).files).toEqual({ count: 1, bytes: PICTURE.length });

  const changed = readFileSync(file);
  const at = changed.length - 600;
  changed[at] = (changed[at] ?? 0) ^ 0x10;
  writeFileSync(file, changed);
  await expect(messagesOf(() => restore(there, file, { otherKey: false }))).rejects.toThrow('cannot be restored');
});

test('restore reports that the backup contains no files', async () => {
  const { config } = await givenPictures();
  const file = join(givenFolder(), 'shop.backup');

  expect(await messagesOf(() => backup(config, file, { files: false }))).toContain('no files');

  const there = readConfig({ DATABASE_URL: await givenDatabase(false), DATA_DIR: givenFolder(), SECRET_KEY });
  expect(await messagesOf(() => restore(there, file, { otherKey: false }))).toContain('It contains no files');
});
