/**
 * Starts a process with its own loopback interface and mounts, in which a proof causes network and disk faults. The
 * faults affect no other process, and end with the process.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findTool } from '../../server/test/tools.ts';
import { notRun, notRunWithout } from '../testing/missing-tool.ts';
import type { Figures, Trial } from '../testing/proof.ts';

export type IsolatedTrial = Omit<Trial, 'databaseUrl'>;

const TOOLS = {
  unshare: { names: ['unshare'], debianPackage: 'util-linux' },
  ip: { names: ['ip'], debianPackage: 'iproute2' },
  iptables: { names: ['iptables'], debianPackage: 'iptables' },
  mount: { names: ['mount'], debianPackage: 'mount' },
};
const MAIN = fileURLToPath(new URL('./isolated-main.ts', import.meta.url));
const NAMESPACES = ['--net', '--mount', '--propagation', 'private'];

/** A message of the process: its progress, its final figures, or the error that ended it. */
export type News = { progress: string } | { figures: Figures } | { error: string };

/** Runs the proof with this id in a process with its own loopback interface and mounts. */
export async function isolated(id: string, { size, seed, progress }: Trial): Promise<Figures> {
  for (const tool of Object.values(TOOLS)) if (!findTool(tool)) return notRunWithout(id, tool);
  const unshare = findTool(TOOLS.unshare) ?? '';
  try {
    execFileSync(unshare, [...NAMESPACES, 'true'], { stdio: 'pipe' });
  } catch {
    const sentence = 'Skipped: it needs root, or the right to make namespaces (CAP_SYS_ADMIN, CAP_NET_ADMIN).';
    return notRun(id, sentence, 'not run: no right to make namespaces');
  }
  const child = spawn(unshare, [...NAMESPACES, process.execPath, MAIN, id, size, String(seed)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let figures: Figures | undefined;
  let reason = 'no reason given';
  child.on('message', (news: News) => {
    if ('progress' in news) progress(news.progress);
    else if ('error' in news) reason = news.error;
    else figures = news.figures;
  });
  const [code] = await once(child, 'close');
  if (!figures) throw new Error(`${id} ended with ${code} and without figures: ${reason}`);
  return figures;
}
