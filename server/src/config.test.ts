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

test('with nothing set, the server runs only on this machine, on what it makes itself', () => {
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

test('metrics have a port of their own or a token of some length', () => {
  expect(readConfig({ DATA_DIR, METRICS_PORT: '9100' }).metricsPort).toBe(9100);
  expect(mistakesIn({ DATA_DIR, METRICS_PORT: '8080' })).toEqual([
    expect.stringContaining('METRICS_PORT must differ from PORT'),
  ]);
  expect(mistakesIn({ DATA_DIR, METRICS_TOKEN: 'short' })).toEqual([expect.stringContaining('METRICS_TOKEN')]);
});

test('the secret key is made once, and only its owner can read it', () => {
  const first = readConfig({ DATA_DIR }).secretKey;

  expect(readConfig({ DATA_DIR }).secretKey).toBe(first);
  expect(first.length).toBeGreaterThanOrEqual(32);
  expect(statSync(join(DATA_DIR, 'secret.key')).mode & 0o777).toBe(0o600);
});

test('a damaged secret key is refused, not replaced', () => {
  const directory = mkdtempSync(join(tmpdir(), 'commerce-config-'));
  writeFileSync(join(directory, 'secret.key'), 'half\n');

  expect(mistakesIn({ DATA_DIR: directory })).toEqual([expect.stringContaining('is damaged. Restore it')]);
  expect(readFileSync(join(directory, 'secret.key'), 'utf8')).toBe('half\n');
  rmSync(directory, { recursive: true });
});

test('a sound production configuration is taken, with the defaults of production', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({
    production: true,
    host: '0.0.0.0',
    baseUrl: 'https://shop.test',
    drainSeconds: 5,
    demoShop: 'off',
  });
});

test('all mistakes are reported at once, each naming its variable', () => {
  const mistakes = mistakesIn({ PORT: 'http', LOG_LEVEL: 'loud', BASE_URL: 'shop.test', TRUST_PROXY: 'true' });

  expect(mistakes.map((sentence) => sentence.split(' ')[0]).sort()).toEqual([
    'BASE_URL',
    'LOG_LEVEL',
    'PORT',
    'TRUST_PROXY',
  ]);
});

test('no message holds the value of a secret', () => {
  const secrets = {
    SECRET_KEY: 'changeme-hunter2',
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    REDIS_URL: 'http://:hunter2@h',
  };

  const mistakes = mistakesIn({ ...PRODUCTION, ...secrets });

  expect(mistakes).toHaveLength(3);
  expect(mistakes.join()).not.toContain('hunter2');
});

describe('production refuses', () => {
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
  ])('%s in %o', (name, env) => {
    expect(mistakesIn({ ...PRODUCTION, ...env })).toEqual([expect.stringContaining(name)]);
  });
});

test('outside production a misspelt variable is only pointed out', () => {
  const { warnings } = readConfig({ DATA_DIR, REDIS_URI: 'redis://redis', POST: '1', HOSTNAME: 'desk', NODE: 'x' });

  expect(warnings).toEqual(['REDIS_URI is not a setting of the server. Did you mean REDIS_URL?']);
});

test('production accepts the variables of storefronts and integrations', () => {
  const ofClients = { COMMERCE_URL: 'https://shop.test', COMMERCE_SITE_ID: 'id', COMMERCE_STOREFRONT_TOKEN: 'stk_1' };

  expect(mistakesIn({ ...PRODUCTION, ...ofClients, COMMERCE_SYNC_SECRET: 'sync_1' })).toEqual([]);
});

test('a variable whose like is set as well is taken for somebody else’s', () => {
  expect(mistakesIn({ ...PRODUCTION, REDIS_URL: 'redis://redis', REDIS_URI: 'redis://redis' })).toEqual([]);
});

test('NODE_ENV=Production does not pass for development', () => {
  expect(mistakesIn({ DATA_DIR, NODE_ENV: 'Production' })).toEqual([expect.stringContaining('NODE_ENV must be')]);
});

test('a worker without an API process needs a shared database', () => {
  expect(mistakesIn({ DATA_DIR, ROLE: 'worker' })).toEqual([expect.stringContaining('needs DATABASE_URL')]);
});

test('behind a pooler in transaction mode, the direct address is required', () => {
  const pooled = { ...PRODUCTION, DATABASE_POOLING: 'transaction' };

  expect(mistakesIn(pooled)).toEqual([expect.stringContaining('needs DATABASE_DIRECT_URL')]);
  expect(mistakesIn({ ...pooled, DATABASE_DIRECT_URL: 'postgres://shop:pa55word@pg.test/shop' })).toEqual([]);
});

test('a direct address without a pooled one is a mistake', () => {
  expect(mistakesIn({ DATA_DIR, DATABASE_DIRECT_URL: PRODUCTION.DATABASE_URL })).toEqual([
    expect.stringContaining('needs DATABASE_URL'),
  ]);
});

test('the embedded database serves in production when it is allowed to', () => {
  expect(readConfig({ ...PRODUCTION, DATABASE_URL: undefined, ALLOW_EMBEDDED: 'on' }).databaseUrl).toBeUndefined();
});

test('docs/configuration.md documents every variable as the server uses it', () => {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

  expect(withTable(page), 'run: node server/src/config-table.ts').toBe(page);
  for (const name of Object.keys(VARIABLES)) expect(page).toContain(`\`${name}\``);
});
