import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from './embedded.ts';

const isRoot = process.getuid?.() === 0;

async function send(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

/** The copy command in docs/configuration.md for other directories. */
function documentedCopy(dataDir: string, file: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const [, command = ''] = /`(tar --dereference [^`]+)`/.exec(page) ?? [];
  return command.replace('.data', dataDir).replace('shop-files.tar.gz', file).split(' ').slice(1);
}

test('the documented command copies DATA_DIR completely, even if DATA_DIR/postgres is a link', async () => {
  // PostgreSQL's user may not enter root's temporary directory, so DATA_DIR/postgres becomes a link there.
  const closed = mkdtempSync(join(tmpdir(), 'commerce-closed-'));
  const open = mkdtempSync(join(tmpdir(), 'commerce-open-'));
  const [dataDir, copy, file] = [join(closed, 'data'), join(open, 'data'), join(closed, 'copy.tar.gz')];
  const first = await startEmbedded({ dataDir });
  const place = realpathSync(join(dataDir, 'postgres'));
  onTestFinished(() => {
    for (const directory of [closed, open, place]) rmSync(directory, { recursive: true, force: true });
  });
  expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(isRoot);
  await send(first.url, 'create table kept as select 42 as answer');
  await first.stop();

  execFileSync('tar', documentedCopy(dataDir, file));
  rmSync(place, { recursive: true });
  execFileSync('chmod', ['711', open]);
  execFileSync('mkdir', ['-m', '711', copy]);
  execFileSync('tar', ['-xpzf', file, '-C', copy]);

  const second = await startEmbedded({ dataDir: copy });
  try {
    expect(await send(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  } finally {
    await second.stop();
  }
}, 300_000);
