/** Shows which code used the CPU time of a row, from samples of `perf`, which must be installed and allowed. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { report, table } from '../report.ts';
import { CLIENTS, namesIn } from './cost.ts';
import { play, type Target } from './play.ts';
import { rowsOf } from './rows.ts';
import { closeCommerce, openCommerce, targetOf } from './shop.ts';

/** The activities in order. A sample counts for the first activity whose pattern matches it. */
type Activities = [name: string, pattern: RegExp][];

/** PostgreSQL's activities, matched with every function on the stack. */
const POSTGRES: Activities = [
  ['triggers, checks of rows, foreign keys', /\b(AfterTrigger|ExecCallTriggerFunc|ExecConstraints|RI_FKey)/],
  ['committing', /\bCommitTransaction\b/],
  ['preparing the run of statements', /\bstandard_ExecutorStart\b/],
  ['looking after kept plans, planning', /\b(GetCachedPlan|pg_plan_query|pg_analyze_and_rewrite)/],
  ['running statements', /\bstandard_Executor(Run|Finish)\b/],
  ['receiving and sending', /\b(secure_read|secure_write|WaitEventSet)/],
];

/** The server's activities, matched with the function and file in which the sample was taken. */
const SERVER: Activities = [
  ['beside the main thread: garbage collection, compiling', /^(?!node|MainThread)/],
  ['system calls, most of them reading and writing', /\[kernel/],
  ['collecting garbage', /Scaveng|Mark|Sweep|Heap::|Evacuat|GCTracer/],
  ['compiling', /compiler|turboshaft|maglev|Maglev|baseline::|interpreter::|Parser|Scanner|Bytecode/],
  ['JavaScript', /Builtins_|\[JIT\]|perf-\d+\.map|anon/],
  ["V8's own functions: properties, strings, JSON", /v8::/],
  ['OpenSSL: hashes, sealing', /EVP_|sha256|SHA256|HMAC|ossl_|aes|AES|CRYPTO_/i],
];

export async function profile(only: string[] | undefined, seconds: number, products: number): Promise<void> {
  const chosen = namesIn(only ?? ['order']);
  const commerce = await openCommerce(products);
  const lines: string[] = [];
  try {
    for (const [name, row] of Object.entries(rowsOf(products))) {
      if (!chosen.includes(name)) continue;
      const target = await targetOf(commerce, row.cache, CLIENTS);
      await play(row.ours, target, row.warmUp ?? 15);
      for (const part of ['server', 'postgres'] as const) {
        const file = join(commerce.database.dataDir, `${name}-${part}.perf`);
        const { ended, cost } = await sampled(file, target, part, () => play(row.ours, target, seconds));
        await ended;
        const [each, activities] = part === 'server' ? [cost.server, SERVER] : [cost.postgres, POSTGRES];
        lines.push('', `**${row.title}, ${part}: ${each.toFixed(2)} ms**`, '');
        lines.push(...table(['activity', 'of CPU'], sharesOf(file, activities, part === 'postgres')));
      }
    }
    await report('cost', commerce.database.version, lines, { part: true });
  } finally {
    await closeCommerce(commerce);
  }
}

async function sampled<T>(file: string, { server, postmaster }: Target, part: 'server' | 'postgres', work: () => T) {
  const pids = part === 'server' ? [server] : childrenOf(postmaster);
  const stacks = part === 'postgres' ? ['--call-graph', 'dwarf,16384'] : [];
  const args = ['record', '-e', 'cpu-clock', '-F', '297', ...stacks, '-o', file, '-p', pids.join(',')];
  const perf = spawn('perf', args, { stdio: 'ignore' });
  const ended = once(perf, 'exit');
  await sleep(1_000);
  const cost = await work();
  perf.kill('SIGINT');
  return { cost, ended };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Returns one row for each activity, the largest share first. */
function sharesOf(file: string, activities: Activities, byStack: boolean): string[][] {
  const fields = byStack ? 'comm,ip,sym' : 'comm,ip,sym,dso';
  const text = execFileSync('perf', ['script', '-i', file, '-F', fields], {
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // `perf` prints the stack of a sample on several lines, followed by an empty line.
  const samples = text
    .toString()
    .split(byStack ? /\n\n+/ : /\n/)
    .filter((sample) => sample.trim() !== '');
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const [name] = activities.find(([, pattern]) => pattern.test(sample.trim())) ?? ['the rest'];
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => [name, `${((count / samples.length) * 100).toFixed(0)} %`]);
}
