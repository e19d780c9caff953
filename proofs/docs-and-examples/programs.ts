import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../..');

function spawnProgram(args: string[], given: Record<string, string>) {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...given };
  return spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Starts a program of the repository, and resolves with its output so far when it has printed the text `ready`. */
export function startProgram(
  args: string[],
  ready: string,
  env: Record<string, string>,
): { child: ChildProcess; ready: Promise<string> } {
  const child = spawnProgram(args, env);
  const printed = new Promise<string>((resolve, reject) => {
    let output = '';
    const append = (chunk: Buffer) => {
      output += chunk;
      if (output.includes(ready)) resolve(output);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${output}`)));
  });
  return { child, ready: printed };
}

/**
 * Runs a program of the repository to its end. `onLine` gets each printed line and acts as the person who reads it.
 * Returns its output, its errors and its exit code.
 */
export async function runProgram(
  args: string[],
  onLine: (line: string) => Promise<unknown>,
  env: Record<string, string> = {},
) {
  const program = spawnProgram(args, env);
  const ended = new Promise<number | null>((resolve) => program.once('exit', resolve));
  let errors = '';
  program.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const lines: string[] = [];
  for await (const line of createInterface(program.stdout)) {
    lines.push(line);
    await onLine(line);
  }
  return { text: lines.join('\n'), errors, code: await ended };
}
