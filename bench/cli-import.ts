/** Runs `commerce products import` as a merchant does, and watches the memory of the CLI and of the server. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CLI, type Running, residentMegabytes } from './processes.ts';

export interface Imported {
  counts: { created: number; updated: number; unchanged: number; refused: number };
  warnings: number;
  seconds: number;
  refused: { line: number; slug?: string; errors: { field: string; message: string }[] }[];
  /** The resident memory of the process in megabytes, during the import, without the memory of the database. */
  server: number[];
  cli: number[];
}

const LOOK_EVERY_MS = 250;

/**
 * Imports a file. `errorsFile` is the file to which the CLI writes rejected rows. Throws if the import did not reach
 * the end of the file.
 */
export async function importByCli(
  file: string,
  server: Running,
  api_key: string,
  errorsFile: string,
): Promise<Imported> {
  const args = [CLI, 'products', 'import', file, '--json', '--errors', errorsFile];
  const { PATH, HOME } = process.env;
  const cli = spawn(process.execPath, args, {
    env: { PATH, HOME, COMMERCE_URL: server.url, COMMERCE_API_KEY: api_key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const memory = { server: [] as number[], cli: [] as number[] };
  const timer = setInterval(() => {
    const [ofServer, ofCli] = [server.process.pid, cli.pid].map(residentMegabytes);
    if (ofServer && ofCli) {
      memory.server.push(ofServer);
      memory.cli.push(ofCli);
    }
  }, LOOK_EVERY_MS);
  const [stdout, stderr] = await Promise.all([text(cli.stdout), text(cli.stderr), ended(cli)]);
  clearInterval(timer);
  if (!stdout) throw new Error(`The import of ${file} failed: ${stderr.slice(0, 2_000)}`);
  const refused = (await readFile(errorsFile, 'utf8')).split('\n').filter(Boolean);
  const { counts, warnings, seconds } = JSON.parse(stdout) as Imported;
  return { counts, warnings, seconds, ...memory, refused: refused.map((line) => JSON.parse(line)) };
}

async function ended(cli: ReturnType<typeof spawn>): Promise<void> {
  if (cli.exitCode === null) await once(cli, 'close');
}
