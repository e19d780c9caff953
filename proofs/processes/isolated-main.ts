import { execFileSync } from 'node:child_process';
import type { Figures, Size } from '../frame.ts';
import { attackByPartition } from './c7-partitions.ts';
import { attackByFullDisk } from './c9-full-disks.ts';
import type { IsolatedTrial, News } from './isolated.ts';
import { attackHealth } from './j5-health.ts';

/** The process that isolated.ts starts: runs a proof in the namespaces created for it. */
const ATTACKS: Record<string, (trial: IsolatedTrial) => Promise<Figures>> = {
  C7: attackByPartition,
  C9: attackByFullDisk,
  J5: attackHealth,
};

const [id = '', size, seed] = process.argv.slice(2);
const attack = ATTACKS[id];
if (!attack) throw new Error(`No isolated proof is called ${id}.`);
execFileSync('ip', ['link', 'set', 'lo', 'up']);
const tell = (news: News) => new Promise<void>((told) => process.send?.(news, () => told()));
const figures = await attack({
  size: size as Size,
  seed: Number(seed),
  progress: (text) => void tell({ progress: text }),
});
await tell({ figures });
process.exit();
