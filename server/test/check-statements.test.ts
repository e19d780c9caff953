import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { superuserUrl } from './worker-database.ts';

const ROOT = join(import.meta.dirname, '../..');
const FIXTURE = 'server/test/fixtures/mistaken-statements.ts';

/** Runs check-statements.ts on the fixture, and returns its output. */
function check(...options: string[]): Promise<{ code: unknown; lines: string[] }> {
  const args = ['scripts/check-statements.ts', '--source', FIXTURE, '--database', superuserUrl(), ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, lines: `${stdout}${stderr}`.trim().split('\n') }),
    );
  });
}

/** Reads the expected messages from the fixture's comments, with the position of the statement below each. */
function expected(): string[] {
  const lines = readFileSync(join(ROOT, FIXTURE), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const mistake = /^ +\/\/ (.*)/.exec(line)?.[1];
    return mistake ? [`${FIXTURE}:${at + 2}: ${mistake}`] : [];
  });
}

test('check-statements.ts reports each statement that PostgreSQL rejects, and each column whose type does not match', async () => {
  const { code, lines } = await check('--unresolved');
  const places = lines.filter((line) => line.startsWith(FIXTURE));

  expect(code).toBe(1);
  expect(places.toSorted()).toEqual(expected().toSorted());
  expect(lines.at(-2)).toMatch(/^Statements that cannot be followed: 1, and 0 may be/);
  expect(lines.at(-1)).toBe('Statements: 14, of which 1 cannot be followed; 10 mistakes.');
});
