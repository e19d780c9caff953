/** The process that isolated.ts starts. Runs a proof in the namespaces created for it. */

import { execFileSync } from 'node:child_process';
import type { Figures, Size } from '../testing/proof.ts';
import { attackByPartition } from './database-unreachable.ts';
import { attackByFullDisk } from './full-disk.ts';
import { attackHealth } from './health.ts';
import type { IsolatedTrial, News } from './isolated.ts';

const ATTACKS: Record<string, (trial: IsolatedTrial) => Promise<Figures>> = {
  C7: attackByPartition,
  C9: attackByFullDisk,
  J5: attackHealth,
};

const [id = '', size, seed] = process.argv.slice(2);
const attack = ATTACKS[id];
if (!attack) throw new Error(`No isolated proof is called ${id}.`);
execFileSync('ip', ['link', 'set', 'lo', 'up']);
const sendNews = (news: News) => new Promise<void>((sent) => process.send?.(news, () => sent()));
process.on('uncaughtException', async (error) => {
  await sendNews({ error: error.stack ?? error.message });
  process.exit(1);
});
const figures = await attack({
  size: size as Size,
  seed: Number(seed),
  progress: (text) => void sendNews({ progress: text }),
});
await sendNews({ figures });
process.exit();
