import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/src/config.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { asOwner, ServerProcess, withDirectory } from '../testing/server-process.ts';

const SECRET_KEY = 'q8Zr2Vd0sLx7Yb4NnK6tGh3WmJc9Pf1RuEa5TiOy';

/** One mistake in an otherwise correct production configuration. */
interface Mistake {
  /** A text that the error message must contain. */
  names: string;
  env: Record<string, string | undefined>;
}

const inVariable = (name: string, ...values: (string | undefined)[]): Mistake[] =>
  values.map((value) => ({ names: name, env: { [name]: value } }));

const MISTAKES: Mistake[] = [
  ...inVariable('SECRET_KEY', undefined, '', '   ', 'short', 'a'.repeat(64), 'abababababababababababababababababab'),
  ...inVariable('SECRET_KEY', 'changeme-changeme-changeme-changeme-1234', 'your-secret-key-goes-here-0123456789abc'),
  ...inVariable(
    'SECRET_KEY',
    'default-key-of-the-documentation-0123456789',
    'example-0123456789-abcdefghij-klmnopqrst',
  ),
  ...inVariable('BASE_URL', undefined, '', 'http://shop.test', 'shop.test', 'https://shop.test/api', 'ftp://shop.test'),
  ...inVariable('BASE_URL', 'https://user:password@shop.test', 'https://shop.test?x=1', 'javascript:alert(1)'),
  ...inVariable(
    'DATABASE_URL',
    undefined,
    '',
    'mysql://shop:Qw7xRk2m@localhost/shop',
    'localhost:5432',
    'sqlite:shop.db',
  ),
  ...inVariable('RATE_LIMITS', 'off', 'false', '0', 'maybe'),
  ...inVariable('DEMO_SHOP', 'on', 'true', 'perhaps'),
  ...inVariable('NODE_ENV', 'Production', 'prod', 'live', 'staging'),
  ...inVariable('PORT', '0', '-1', '65536', '8080.5', '0x1f90', '8e3', 'http', '99999999999'),
  ...inVariable('HOST', 'not a host', '../etc', '*'),
  ...inVariable('TRUST_PROXY', 'true', '-1', 'loopback', '1.5', '99'),
  ...inVariable('REDIS_URL', 'http://localhost:6379', 'localhost:6379', 'redis'),
  ...inVariable('ROLE', 'web', 'API', 'api,worker'),
  ...inVariable('LOG_LEVEL', 'verbose', 'INFO', '3'),
  ...inVariable('DATABASE_POOL_MAX', '0', '1', 'many', '1e3', '100000'),
  ...inVariable('DATABASE_POOLING', 'statement', 'Session'),
  ...inVariable('DATABASE_DIRECT_URL', 'localhost:5432', 'mysql://shop:Qw7xRk2m@localhost/shop'),
  ...inVariable('DATABASE_REPLICA_URLS', 'localhost:5432', 'postgres://shop:Qw7xRk2m@localhost/shop,,'),
  ...inVariable('MIGRATION_WAIT_SECONDS', '0', '5m', '100000'),
  { names: 'DATABASE_DIRECT_URL', env: { DATABASE_POOLING: 'transaction' } },
  ...inVariable('KEEP_ALIVE_SECONDS', '0', '-5', '5s', '3600'),
  ...inVariable('DRAIN_SECONDS', '-1', '60', '5s'),
  ...inVariable('DASHBOARD_ORIGINS', '*', 'https://a.test/path', 'a.test', 'https://a.test,,https://b.test', 'null'),
  ...inVariable('VALIDATE_RESPONSES', 'yes please', '2'),
  ...inVariable('CATALOG_CACHE', 'redis', 'ON!'),
  ...inVariable('ALLOW_EMBEDDED', 'sure'),
  { names: 'ROLE', env: { ROLE: 'worker', DATABASE_URL: undefined, ALLOW_EMBEDDED: 'on' } },
  ...['COMMERCE_SECRET', 'COMMERCE_PORT', 'COMMERCE_RATE_LIMITS'].map((name) => ({
    names: name,
    env: { [name]: '1' },
  })),
  ...['RATE_LIMIT', 'LOGLEVEL', 'LOG_LEVLE', 'TRUST_PROXIES', 'DASHBOARD_ORIGIN', 'KEEPALIVE_SECONDS'].map((name) => ({
    names: name,
    env: { [name]: '1' },
  })),
];

/** Mistakes that are only noticed when the server connects to the database. */
const DATABASE_MISTAKES: (Mistake & { arrange?: string; restore?: string; superuser?: true })[] = [
  { names: 'superuser', env: {}, superuser: true },
  {
    names: 'synchronous_commit',
    env: {},
    arrange: 'alter role current_user set synchronous_commit = off',
    restore: 'alter role current_user reset all',
  },
  { names: '', env: { DATABASE_URL: 'postgres://nobody:Vq7xTz2k@127.0.0.1:1/shop' } },
];

/**
 * In production, the server must not start with a missing or invalid setting, or with one that is only safe for
 * development.
 */
export const J4: Proof = {
  id: 'J4',
  promise: 'A misconfigured server does not start in production mode.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, progress }: Trial, directory: string) {
  const violations = new Violations();
  const database = await startEmbedded({ dataDir: join(directory, 'database'), onProgress: () => {} });
  try {
    const sound = await soundConfiguration(directory, database.url);
    const superuserUrl = new URL(database.url);
    superuserUrl.username = 'postgres';
    for (const mistake of MISTAKES) judgeReading(mistake, sound, violations);

    if (!(await starts(sound)))
      violations.add('The valid configuration did not start either, so the proof shows nothing');
    const spawned = pick(size, MISTAKES.slice(0, 1), MISTAKES);
    for (const [i, mistake] of spawned.entries()) {
      progress(`${i} of ${spawned.length} misconfigured processes`);
      await judgeStart(mistake, sound, violations);
    }
    for (const { arrange, restore, superuser, ...mistake } of DATABASE_MISTAKES) {
      if (arrange) await asOwner(database.url, arrange);
      await judgeStart(mistake, superuser ? { ...sound, DATABASE_URL: superuserUrl.href } : sound, violations);
      if (restore) await asOwner(database.url, restore);
    }
    const tried = MISTAKES.length + DATABASE_MISTAKES.length;
    const note = `${spawned.length + DATABASE_MISTAKES.length} of them as processes`;
    return { tried, unit: 'misconfigurations', violations: violations.list, note };
  } finally {
    await database.stop();
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Builds a configuration that meets the requirements of production: a durable database, a login that is not a
 * superuser, TLS, and a secret of its own.
 */
async function soundConfiguration(directory: string, databaseUrl: string): Promise<Environment> {
  const dataDir = join(directory, 'server');
  await mkdir(dataDir);
  return {
    NODE_ENV: 'production',
    SECRET_KEY,
    BASE_URL: 'https://shop.test',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    DRAIN_SECONDS: '0',
    MAILS: 'files',
  };
}

/** Reading the configuration must fail, with a message that names the variable and reveals no secret. */
function judgeReading({ names, env }: Mistake, sound: Environment, violations: Violations): void {
  try {
    readConfig({ ...sound, ...env });
    violations.add(`Accepted without an error: ${JSON.stringify(env)}`);
  } catch (error) {
    judgeMessage((error as Error).message, names, { ...sound, ...env }, env, violations);
  }
}

async function judgeStart({ names, env }: Mistake, sound: Environment, violations: Violations): Promise<void> {
  const server = new ServerProcess(await freePort(), { ...sound, ...env });
  if (await server.ready()) violations.add(`Started instead of rejecting ${names}: ${JSON.stringify(env)}`);
  const { code } = await server.end('SIGKILL');
  if (code === 0) violations.add(`Exited with 0 instead of an error with ${JSON.stringify(env)}`);
  judgeMessage(server.errors, names, { ...sound, ...env }, env, violations);
}

function judgeMessage(message: string, names: string, env: Environment, mistake: Environment, violations: Violations) {
  const what = JSON.stringify(mistake);
  if (!message.includes(names)) violations.add(`The message for ${what} does not name ${names}: ${message}`);
  if (/^\s+at .+:\d+:\d+/m.test(message)) violations.add(`The message for ${what} is a stack: ${message}`);
  for (const secret of [env.SECRET_KEY?.trim(), passwordOf(env.DATABASE_URL)]) {
    if (secret && secret.length > 4 && message.includes(secret))
      violations.add(`The message for ${what} shows a secret`);
  }
}

function passwordOf(url = ''): string | undefined {
  return URL.parse(url)?.password;
}

async function starts(env: Environment): Promise<boolean> {
  const server = new ServerProcess(await freePort(), env);
  const started = await server.ready();
  await server.end(started ? 'SIGTERM' : 'SIGKILL');
  return started;
}
