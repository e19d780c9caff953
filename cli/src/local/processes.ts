/** Runs the server and the storefront of a shop on this machine. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT } from '../errors.ts';
import { watchFolder } from './watch-folder.ts';

type Env = Record<string, string | undefined>;

/** Slightly longer than the server's own maximum shutdown time. */
const END_WITHIN_MS = 35_000;
const ASK_EVERY_MS = 100;
const SHOWN_LINES = 20;
/** Preloaded in the storefront, so that it exits with this program. */
const ENDS_WITH_PARENT = 'data:text/javascript,process.on("disconnect", () => process.exit())';

export interface Started {
  process: ChildProcess;
  /** Resolves to the exit code. */
  ended: Promise<number>;
}

/**
 * Starts the server with a new log file. Resolves when the server is ready. Throws a CommandError with its output if it
 * exits before.
 */
export async function startServer(
  program: string,
  { folder, env, port, logFile }: { folder: string; env: Env; port: number; logFile: string },
): Promise<Started> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile);
  const server = begin([program, 'start'], { folder, env: { ...env, PORT: String(port) } });
  const said: string[] = [];
  const note = (line: string) => {
    said.push(line);
    if (said.length > SHOWN_LINES) said.shift();
  };
  linesOf(server.process.stdout, (line) => (line.startsWith('{') ? log.write(`${line}\n`) : undefined));
  linesOf(server.process.stderr, note);
  void server.ended.then(() => log.end());
  await answering(`http://127.0.0.1:${port}/readyz`, server, () => said.join('\n'));
  return server;
}

/**
 * Starts the storefront. Restarts it when a file in its folder changes, including after it has crashed. Its output is
 * printed.
 */
export function startStorefront(
  file: string,
  { folder, env, tell }: { folder: string; env: Env; tell: (line: string) => void },
): { end: () => Promise<void> } {
  const start = () => {
    const started = begin(['--import', ENDS_WITH_PARENT, file], { folder, env });
    linesOf(started.process.stdout, tell);
    linesOf(started.process.stderr, tell);
    return started;
  };
  let running = start();
  let again = Promise.resolve();
  const restart = async () => {
    await end(running);
    running = start();
  };
  const watcher = watchFolder(join(folder, dirname(file)), () => {
    again = again.then(restart);
  });
  return {
    async end() {
      watcher.close();
      await again;
      await end(running);
    },
  };
}

/** Stops a process and waits for its exit. */
export async function end({ process: child, ended }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

/** The first free port, starting with this one. */
export async function freePortFrom(first: number): Promise<number> {
  for (let port = first; ; port += 1) {
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port))) return port;
    if (port === first + 100)
      throw new CommandError(EXIT.refused, 'port_in_use', `Ports ${first} to ${port} are in use.`);
  }
}

/** Whether a port is free at one IP address, or at all addresses of this machine. */
async function isFree(port: number, host?: string): Promise<boolean> {
  const trial = createServer();
  try {
    trial.listen(port, host);
    await once(trial, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    trial.close();
  }
}

/**
 * Starts a program in its own process group, so that Ctrl-C reaches only the CLI, which then stops the programs in
 * order. If the CLI is killed, the IPC channel closes, and the program exits too.
 */
function begin(args: string[], { folder, env }: { folder: string; env: Env }): Started {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // Makes the server exit when the IPC channel breaks.
    env: { ...env, SERVER_PARENT_PID: String(process.pid) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  return { process: child, ended };
}

function linesOf(stream: ChildProcess['stdout'], tell: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on('line', tell);
}

async function answering(url: string, { process: child }: Started, said: () => string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    if (child.exitCode !== null || child.signalCode !== null) {
      const how = child.exitCode ?? child.signalCode;
      throw new CommandError(EXIT.refused, 'not_started', said() || `The server ended with ${how}.`);
    }
    await sleep(ASK_EVERY_MS);
  }
}
