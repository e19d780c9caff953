#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (existsSync(built)) {
  // A program that reads the output, such as `head`, may close the pipe early.
  process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { run } = await import(built.href);
  process.exitCode = await run(process.argv.slice(2), process);
} else {
  process.stderr.write('commerce is not built yet. Run npm ci in the repository, without --omit=dev.\n');
  process.exitCode = 2;
}
