import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTool } from '../../server/test/tools.ts';
import { ran } from '../outside.ts';

const STARTS_WITHIN_MS = 60_000;

export interface Daemon {
  /** Value for DOCKER_HOST; undefined if clients find the daemon without it. */
  host?: string;
  stop(): Promise<void>;
}

/**
 * Finds a running Docker daemon, or starts Debian's with its data in a folder. Returns undefined if neither is
 * possible.
 */
export async function findDaemon(docker: string, folder: string): Promise<Daemon | undefined> {
  if ((await ran(folder, [docker, 'info'])).code === 0) return { stop: async () => undefined };
  const dockerd = findTool({ names: ['dockerd'], debianPackage: 'docker.io' });
  if (!dockerd || process.getuid?.() !== 0) return undefined;
  const own = join(folder, 'daemon');
  await mkdir(own);
  const host = `unix://${join(own, 'socket')}`;
  const kept = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(own, name)}`);
  const log = openSync(join(own, 'log'), 'a');
  const running = spawn(dockerd, ['--host', host, ...kept], { stdio: ['ignore', log, log] });
  const stop = async () => {
    const ended = once(running, 'exit');
    if (running.exitCode === null && running.kill()) await ended;
  };
  for (const end = Date.now() + STARTS_WITHIN_MS; Date.now() < end && running.exitCode === null; await sleep(200)) {
    if ((await ran(folder, [docker, 'info'], { DOCKER_HOST: host })).code === 0) return { host, stop };
  }
  await stop();
  return undefined;
}
