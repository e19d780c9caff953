import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../..');

/**
 * Writes the next patch release of the server to a folder that the test deletes: it has the migrations of this
 * release and the given ones, by name. Returns its main file.
 */
export function givenSuccessor(migrations: Record<string, { up: string; down: string }>): string {
  const folder = mkdtempSync(join(tmpdir(), 'successor-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = join(folder, 'server');
  mkdirSync(server);
  cpSync(join(REPOSITORY, 'server/src'), join(server, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts'),
  });
  for (const name of ['node_modules', 'server/node_modules']) symlinkSync(join(REPOSITORY, name), join(folder, name));
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'server/package.json'), 'utf8')) as { version: string };
  writeFileSync(join(server, 'package.json'), JSON.stringify({ ...manifest, version: nextPatch(manifest.version) }));
  for (const [name, { up, down }] of Object.entries(migrations)) {
    const text = `export const up = (knex) => knex.raw(${JSON.stringify(up)});\nexport const down = (knex) => knex.raw(${JSON.stringify(down)});\n`;
    writeFileSync(join(server, 'src/db/migrations', `${name}.ts`), text);
  }
  return join(server, 'src/main.ts');
}

function nextPatch(version: string): string {
  const [major, minor, patch] = version.split('.').map(Number);
  return `${major}.${minor}.${(patch ?? 0) + 1}`;
}
