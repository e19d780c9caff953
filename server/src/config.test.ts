import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { withTable } from './config-table.ts';
import { VARIABLES } from './config-variables.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'commerce-config-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const PRODUCTION = {
  NODE_ENV: 'production',
  DATA_DIR,
  SECRET_KEY: 'kP4vXq7ZtN2mWs9RbY6cHd1LfJ8gTe3U5oAi0KxE',
  BASE_URL: 'https://shop.test',
  DATABASE_URL: 'postgres://shop:pa55word@db.test/shop',
};

function mistakesIn(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).mistakes;
  }
}

test('without any variables, the server listens only on this machine and uses the embedded database', () => {
  const config = readConfig({ DATA_DIR });

  expect(config).toMatchObject({
    production: false,
    port: 8080,
    host: '127.0.0.1',
    baseUrl: 'http://localhost:8080',
    baseUrlAssumed: true,
    databaseUrl: undefined,
    redisUrl: undefined,
    role: 'all',
    drainSeconds: 0,
    rateLimits: true,
    demoShop: 'if_empty',
    warnings: [],
  });
});

test('MIGRATE=off requires DATABASE_URL, and pooling requires DATABASE_DIRECT_URL only for jobs and the operator API', () => {
  const pooled = { DATA_DIR, DATABASE_URL: PRODUCTION.DATABASE_URL, DATABASE_POOLING: 'transaction', MIGRATE: 'off' };

  expect(readConfig({ ...pooled, ROLE: 'api' }).migrates).toBe(false);
  const direct = [expect.stringContaining('needs DATABASE_DIRECT_URL')];
  expect(mistakesIn({ ...pooled, ROLE: 'worker' })).toEqual(direct);
  expect(mistakesIn({ ...pooled, ROLE: 'api', OPERATOR_PORT: '8090' })).toEqual(direct);
  expect(mistakesIn({ DATA_DIR, MIGRATE: 'off' })).toEqual([expect.stringContaining('MIGRATE=off needs DATABASE_URL')]);
});

test('rejects SMTP_URL together with MAILS=files', () => {
  expect(mistakesIn({ DATA_DIR, SMTP_URL: 'smtp://mail.test', MAILS: 'files' })).toEqual([
    expect.stringContaining('MAILS=files and SMTP_URL contradict'),
  ]);
});

test('requires a METRICS_PORT other than PORT, and a METRICS_TOKEN of minimum length', () => {
  expect(readConfig({ DATA_DIR, METRICS_PORT: '9100' })).toMatchObject({ metricsPort: 9100, metricsHost: '127.0.0.1' });
  expect(readConfig({ DATA_DIR, METRICS_PORT: '9100', METRICS_HOST: '10.0.0.7' }).metricsHost).toBe('10.0.0.7');
  expect(mistakesIn({ DATA_DIR, METRICS_PORT: '8080' })).toEqual([
    expect.stringContaining('METRICS_PORT must differ from PORT'),
  ]);
  expect(mistakesIn({ DATA_DIR, METRICS_TOKEN: 'short' })).toEqual([expect.stringContaining('METRICS_TOKEN')]);
});

test('generates the secret key once, in a file that only its owner can read', () => {
  const first = readConfig({ DATA_DIR }).secretKey;

  expect(readConfig({ DATA_DIR }).secretKey).toBe(first);
  expect(first.length).toBeGreaterThanOrEqual(32);
  expect(statSync(join(DATA_DIR, 'secret.key')).mode & 0o777).toBe(0o600);
});

test('rejects a damaged secret key instead of replacing it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'commerce-config-'));
  writeFileSync(join(directory, 'secret.key'), 'half\n');

  expect(mistakesIn({ DATA_DIR: directory })).toEqual([expect.stringContaining('is damaged. Restore it')]);
  expect(readFileSync(join(directory, 'secret.key'), 'utf8')).toBe('half\n');
  rmSync(directory, { recursive: true });
});

test('accepts a valid production configuration and uses production defaults', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({
    production: true,
    host: '0.0.0.0',
    baseUrl: 'https://shop.test',
    drainSeconds: 5,
    demoShop: 'off',
  });
});

test('reports all configuration mistakes together, each with its variable', () => {
  const mistakes = mistakesIn({ PORT: 'http', LOG_LEVEL: 'loud', BASE_URL: 'shop.test', TRUST_PROXY: 'true' });

  expect(mistakes.map((sentence) => sentence.split(' ')[0]).sort()).toEqual([
    'BASE_URL',
    'LOG_LEVEL',
    'PORT',
    'TRUST_PROXY',
  ]);
});

test('no configuration error contains the value of a secret', () => {
  const secrets = {
    SECRET_KEY: 'changeme-hunter2',
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    REDIS_URL: 'http://:hunter2@h',
  };

  const mistakes = mistakesIn({ ...PRODUCTION, ...secrets });

  expect(mistakes).toHaveLength(3);
  expect(mistakes.join()).not.toContain('hunter2');
});

describe('in production', () => {
  test.each([
    ['SECRET_KEY', { SECRET_KEY: undefined }],
    ['SECRET_KEY', { SECRET_KEY: 'change-me-change-me-change-me-change-me' }],
    ['SECRET_KEY', { SECRET_KEY: 'x'.repeat(64) }],
    ['BASE_URL', { BASE_URL: undefined }],
    ['BASE_URL', { BASE_URL: 'http://shop.test' }],
    ['DATABASE_URL', { DATABASE_URL: ' ' }],
    ['RATE_LIMITS', { RATE_LIMITS: 'off' }],
    ['CARD_PROVIDER', { CARD_PROVIDER: 'test' }],
    ['STRIPE_API_URL', { STRIPE_API_URL: 'http://127.0.0.1:12111' }],
    ['DEMO_SHOP', { DEMO_SHOP: 'on' }],
    ['COMMERCE_PORT', { COMMERCE_PORT: '80' }],
    ['TRUST_PROXY', { TRUST_PROXIES: '1' }],
    ['LOG_LEVEL', { LOGLEVEL: 'debug' }],
    ['REDIS_URL', { REDSI_URL: 'redis://redis' }],
    ['REDIS_URL', { REDIS_URI: 'redis://redis' }],
  ])('in production, the error names %s if the environment contains %o', (name, env) => {
    expect(mistakesIn({ ...PRODUCTION, ...env })).toEqual([expect.stringContaining(name)]);
  });
});

test('outside production, a misspelled variable causes only a warning', () => {
  const { warnings } = readConfig({ DATA_DIR, REDIS_URI: 'redis://redis', POST: '1', HOSTNAME: 'desk', NODE: 'x' });

  expect(warnings).toEqual(['REDIS_URI is not a setting of the server. Did you mean REDIS_URL?']);
});

test('in production, the variables of storefronts and integrations are accepted', () => {
  const ofClients = { COMMERCE_URL: 'https://shop.test', COMMERCE_SITE_ID: 'id', COMMERCE_STOREFRONT_TOKEN: 'stk_1' };

  expect(mistakesIn({ ...PRODUCTION, ...ofClients, COMMERCE_SYNC_SECRET: 'sync_1' })).toEqual([]);
});

test('ignores a misspelled variable if the correct one is set too', () => {
  expect(mistakesIn({ ...PRODUCTION, REDIS_URL: 'redis://redis', REDIS_URI: 'redis://redis' })).toEqual([]);
});

test('rejects NODE_ENV=Production instead of running as development', () => {
  expect(mistakesIn({ DATA_DIR, NODE_ENV: 'Production' })).toEqual([expect.stringContaining('NODE_ENV must be')]);
});

test('a worker without an API process requires a shared database', () => {
  expect(mistakesIn({ DATA_DIR, ROLE: 'worker' })).toEqual([expect.stringContaining('needs DATABASE_URL')]);
});

test('requires the direct database URL behind a pooler in transaction mode', () => {
  const pooled = { ...PRODUCTION, DATABASE_POOLING: 'transaction' };

  expect(mistakesIn(pooled)).toEqual([expect.stringContaining('needs DATABASE_DIRECT_URL')]);
  expect(mistakesIn({ ...pooled, DATABASE_DIRECT_URL: 'postgres://shop:pa55word@pg.test/shop' })).toEqual([]);
});

test('rejects a direct database URL without DATABASE_URL', () => {
  expect(mistakesIn({ DATA_DIR, DATABASE_DIRECT_URL: PRODUCTION.DATABASE_URL })).toEqual([
    expect.stringContaining('needs DATABASE_URL'),
  ]);
});

test('DATABASE_REPLICA_URLS requires DATABASE_URL and the catalogue cache, and accepts only database URLs', () => {
  const urls = ['postgres://shop:pa55word@one.test/shop', 'postgres://shop:pa55word@two.test/shop'];
  const replicas = { DATABASE_REPLICA_URLS: urls.join(', ') };

  expect(readConfig({ ...PRODUCTION, ...replicas }).databaseReplicaUrls).toEqual(urls);
  expect(mistakesIn({ DATA_DIR, ...replicas })).toEqual([expect.stringContaining('needs DATABASE_URL')]);
  expect(mistakesIn({ ...PRODUCTION, ...replicas, CATALOG_CACHE: 'off' })).toEqual([
    expect.stringContaining('Remove CATALOG_CACHE=off'),
  ]);
  expect(mistakesIn({ ...PRODUCTION, DATABASE_REPLICA_URLS: `${urls[0]},two.test` })).toEqual([
    expect.stringContaining('DATABASE_REPLICA_URLS must be'),
  ]);
});

test('production accepts the embedded database if ALLOW_EMBEDDED is on', () => {
  expect(readConfig({ ...PRODUCTION, DATABASE_URL: undefined, ALLOW_EMBEDDED: 'on' }).databaseUrl).toBeUndefined();
});

test('docs/configuration.md documents every variable as the server reads it', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

  expect(withTable(page), 'run: node server/src/config-table.ts').toBe(page);
  for (const name of Object.keys(VARIABLES)) expect(page).toContain(`\`${name}\``);
});

test('rejects a retention below its minimum and names the setting', () => {
  const short = { RETENTION_CARTS_DAYS: '29', RETENTION_ADDRESSES_DAYS: '6', RETENTION_AUDIT_DAYS: '89' };
  expect(mistakesIn({ DATA_DIR, ...short })).toEqual([
    'RETENTION_CARTS_DAYS must be a whole number from 30 to 3650.',
    'RETENTION_ADDRESSES_DAYS must be a whole number from 7 to 365.',
    'RETENTION_AUDIT_DAYS must be a whole number from 90 to 3650.',
  ]);
});
