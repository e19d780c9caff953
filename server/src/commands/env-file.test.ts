import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs a command in a folder with an .env file, in an environment without those settings. */
async function run(command: string[], file: string, more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'commerce-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), file);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...command], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...more },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, printed: printed.join('') };
}

test('a command reads the .env file of the working directory', async () => {
  const { code, printed } = await run(['start'], 'PORT=eighty\n');

  expect([code, printed]).toEqual([1, expect.stringContaining('PORT must be')]);
});

test('environment variables take precedence over the .env file', async () => {
  const { printed } = await run(['doctor'], 'PORT=eighty\nNODE_ENV=production\n', { PORT: '8085' });

  expect(printed).not.toContain('PORT must be');
  expect(printed).toContain('SECRET_KEY is required in production');
});
