import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, inspectConfig } from '../config.ts';
import { shareDatabase } from './database.ts';
import { checkDatabase } from './doctor-database.ts';
import { checkDisk, checkStore } from './doctor-disk.ts';
import { checkMails } from './doctor-mails.ts';
import { checkPooler } from './doctor-pooler.ts';
import { checkRedis } from './doctor-redis.ts';
import { checkReplicas } from './doctor-replicas.ts';
import { checkRequests } from './doctor-requests.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const OLDEST_NODE = 24;

/**
 * Prints the findings of `examine`, for people or as JSON. Returns false if a finding is `wrong`; warnings do not
 * count.
 */
export async function doctor(
  env: NodeJS.ProcessEnv,
  { json, processes }: { json: boolean; processes: number },
): Promise<boolean> {
  const findings = await examine(env, processes);
  const healthy = findings.every(({ state }) => state !== 'wrong');
  process.stdout.write(json ? `${JSON.stringify({ healthy, findings }, null, 2)}\n` : inWords(findings, healthy));
  return healthy;
}

/**
 * Checks Node, the configuration, the database, Redis, mails, the disk and the file store. Changes nothing, but starts
 * and stops the embedded database if no server runs it.
 */
export async function examine(env: NodeJS.ProcessEnv, processes = 1): Promise<Finding[]> {
  return [checkNode(), ...(await checkInstallation(env, processes))];
}

async function checkInstallation(env: NodeJS.ProcessEnv, processes: number): Promise<Finding[]> {
  let config: Config;
  try {
    config = inspectConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.mistakes.map((mistake) => wrong('configuration', 'a setting is invalid', mistake));
  }
  const settings =
    config.warnings.length === 0
      ? [ok('configuration', config.production ? 'production' : 'development')]
      : config.warnings.map((mend) => warning('configuration', 'a setting is probably a mistake', mend));
  return [
    ...settings,
    ...(await checkOpenedDatabase(config, processes)),
    await checkRedis(config.redisUrl),
    await checkMails(config),
    await checkDisk(config),
    await checkStore(config),
  ];
}

/** If one of these checks fails, the check `requests` is skipped, because it would fail for the same reason. */
const REQUESTS_NEED = ['connection', 'version', 'migrations', 'role', 'access', 'pooler'];

async function checkOpenedDatabase(config: Config, processes: number): Promise<Finding[]> {
  const place = join(config.dataDir, 'postgres');
  // A broken link counts as existing, because a later check reports it.
  if (!config.databaseUrl && !lstatSync(place, { throwIfNoEntry: false })) {
    const mend =
      'The first start creates it. If it exists elsewhere, set DATA_DIR to its directory, or set DATABASE_URL.';
    return [warning('database', `no database in ${place}`, mend)];
  }
  try {
    const database = await shareDatabase(config, () => undefined);
    try {
      const findings = [
        ok('database', database.description),
        ...(await checkDatabase(database.directUrl, config, processes)),
        ...(await checkPooler(database, config.databasePooling)),
      ];
      if (!findings.some(({ check }) => check === 'connection')) {
        findings.push(...(await checkReplicas(database.directUrl, config.databaseReplicaUrls)));
      }
      const missing = findings.some(({ check, state }) => state === 'wrong' && REQUESTS_NEED.includes(check));
      return missing ? findings : [...findings, await checkRequests(database.url, config.databasePooling)];
    } finally {
      await database.stop();
    }
  } catch (error) {
    return [wrong('database', (error as Error).message, 'Fix the reported error, and run doctor again.')];
  }
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok('node', node)
    : wrong('node', `${node} is too old`, `Install Node ${OLDEST_NODE} or newer, or run npm ci, which installs one.`);
}

const MARKS = { ok: 'ok   ', warning: 'WARN ', wrong: 'WRONG' };

function inWords(findings: Finding[], healthy: boolean): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, found, mend }) => [
    `${MARKS[state]}  ${check.padEnd(width)}  ${found}`,
    ...(mend ? [`${' '.repeat(width + 9)}→ ${mend}`] : []),
  ]);
  const count = findings.filter(({ state }) => state === 'wrong').length;
  const last = healthy ? 'No problems found.' : `${count} ${count === 1 ? 'problem' : 'problems'} found.`;
  return `${[...lines, '', last].join('\n')}\n`;
}
