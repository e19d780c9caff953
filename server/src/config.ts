import { resolve } from 'node:path';
import { Unreadable } from './config-readers.ts';
import { VARIABLES, type Values, type VariableName } from './config-variables.ts';
import type { S3Settings } from './files/store.ts';
import type { Retention } from './jobs/retention.ts';
import { hasSecretKey, secretKeyIn } from './secret-key.ts';
import type { TracingOptions } from './tracing/open-tracing.ts';

/** The server's settings. `VARIABLES` documents each one. */
export interface Config {
  production: boolean;
  port: number;
  host: string;
  metricsToken: string | undefined;
  /** Undefined if metrics have no separate port. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** Undefined if there is no listener for operators. */
  operatorPort: number | undefined;
  operatorHost: string;
  /** Undefined if tracing is off. */
  tracing: TracingOptions | undefined;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Whether neither BASE_URL nor PORT is set. */
  baseUrlAssumed: boolean;
  /** Absolute path. */
  dataDir: string;
  /** Undefined if files are stored in `dataDir`. */
  s3: S3Settings | undefined;
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** Direct URL without a pooler, for migrations and jobs. Undefined if `databaseUrl` has no pooler. */
  databaseDirectUrl: string | undefined;
  /** Standbys for reads of the catalogue. */
  databaseReplicaUrls: string[];
  databasePoolMax: number;
  databasePooling: 'session' | 'transaction';
  /** Number of order numbers to skip when a new era begins (db/era.ts). */
  skippedNumbers: number;
  /** Whether a start migrates the database. If not, it checks that the schema is complete. */
  migrates: boolean;
  /** Maximum waiting time at startup while another process migrates or the database is read-only. */
  migrationWaitSeconds: number;
  redisUrl: string | undefined;
  /** Undefined if mails are written to files. */
  smtpUrl: string | undefined;
  /** Whether the operator has confirmed that mails are written to files. */
  mailsToFiles: boolean;
  mailFrom: string;
  cardProvider: 'none' | 'test';
  /** Replaces Stripe's API URL. Never set in production. */
  stripeApiUrl: string | undefined;
  /** The platform's Stripe key, for sites with a connected account. */
  stripePlatformKey: string | undefined;
  /** Whether webhooks may be sent to private IP addresses. */
  webhookPrivateAddresses: boolean;
  webhookConcurrency: number;
  mailConcurrency: number;
  retention: Retention;
  secretKey: string;
  /** The new key for `rotate-secret-key`. */
  newSecretKey: string | undefined;
  /** Whether the secret key is stored in DATA_DIR, because SECRET_KEY is not set. */
  secretKeyInFile: boolean;
  role: 'api' | 'worker' | 'all';
  /** Number of proxies in front of the server. */
  trustProxy: number;
  keepAliveSeconds: number;
  drainSeconds: number;
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  dashboardOrigins: string[];
  rateLimits: boolean;
  catalogueCache: boolean;
  validateResponses: boolean;
  /** `if_empty` creates the demo shop only in a database without shops. */
  demoShop: 'on' | 'if_empty' | 'off';
  /** Messages about probable mistakes. In production these are errors. */
  warnings: string[];
}

/**
 * Thrown for an invalid configuration. The message has a line for each mistake, which names the variable and what to
 * do.
 */
export class ConfigError extends Error {
  readonly mistakes: string[];

  constructor(mistakes: string[]) {
    super(`The configuration is wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/**
 * Reads the configuration from environment variables. Empty variables count as unset. Outside production a missing
 * secret key is generated and stored in the data directory. Throws ConfigError with all mistakes; its message never
 * contains a secret.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return configOf(env, secretKeyIn);
}

/** Like `readConfig`, but writes nothing: a missing secret key is left empty instead of generated. */
export function inspectConfig(env: NodeJS.ProcessEnv): Config {
  return configOf(env, (dataDir) => (hasSecretKey(dataDir) ? secretKeyIn(dataDir) : ''));
}

const DEFAULT_PORT = 8080;

function configOf(env: NodeJS.ProcessEnv, keyIn: (dataDir: string) => string): Config {
  const { values, mistakes } = readValues(env);
  const production = values.NODE_ENV === 'production';
  const unknown = unknownSettings(env);

  mistakes.push(...contradictions(values));
  if (production) mistakes.push(...unsafeInProduction(values, env), ...unknown);
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  const port = values.PORT ?? DEFAULT_PORT;
  const dataDir = resolve(values.DATA_DIR ?? '.data');
  const host = values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1');
  const trustProxy = values.TRUST_PROXY ?? 0;
  const baseUrl = values.BASE_URL ?? `http://localhost:${port}`;
  return {
    production,
    port,
    host,
    metricsToken: values.METRICS_TOKEN,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST ?? host,
    operatorPort: values.OPERATOR_PORT,
    operatorHost: values.OPERATOR_HOST ?? '127.0.0.1',
    tracing: tracingOf(values),
    baseUrl,
    baseUrlAssumed: values.BASE_URL === undefined && values.PORT === undefined,
    dataDir,
    s3: s3Of(values),
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS ?? [],
    databasePoolMax: values.DATABASE_POOL_MAX ?? 10,
    databasePooling: values.DATABASE_POOLING ?? 'session',
    migrates: values.MIGRATE ?? true,
    skippedNumbers: values.SKIPPED_NUMBERS ?? 1_000,
    migrationWaitSeconds: values.MIGRATION_WAIT_SECONDS ?? 300,
    redisUrl: values.REDIS_URL,
    smtpUrl: values.SMTP_URL,
    mailsToFiles: values.MAILS === 'files',
    mailFrom: values.MAIL_FROM ?? `no-reply@${new URL(baseUrl).hostname}`,
    webhookPrivateAddresses: values.WEBHOOK_PRIVATE_ADDRESSES ?? !production,
    webhookConcurrency: values.WEBHOOK_CONCURRENCY ?? 200,
    mailConcurrency: values.MAIL_CONCURRENCY ?? 5,
    retention: retentionOf(values),
    cardProvider: values.CARD_PROVIDER ?? (production ? 'none' : 'test'),
    stripeApiUrl: values.STRIPE_API_URL,
    stripePlatformKey: values.STRIPE_PLATFORM_KEY,
    secretKey: values.SECRET_KEY ?? keptSecretKey(dataDir, keyIn),
    newSecretKey: values.NEW_SECRET_KEY,
    secretKeyInFile: values.SECRET_KEY === undefined,
    role: values.ROLE ?? 'all',
    trustProxy,
    keepAliveSeconds: values.KEEP_ALIVE_SECONDS ?? (trustProxy > 0 ? 65 : 5),
    drainSeconds: values.DRAIN_SECONDS ?? (production ? 5 : 0),
    logLevel: values.LOG_LEVEL ?? 'info',
    dashboardOrigins: values.DASHBOARD_ORIGINS ?? [],
    rateLimits: values.RATE_LIMITS ?? true,
    catalogueCache: values.CATALOG_CACHE ?? true,
    validateResponses: values.VALIDATE_RESPONSES ?? false,
    demoShop: values.DEMO_SHOP === undefined && !production ? 'if_empty' : values.DEMO_SHOP ? 'on' : 'off',
    warnings: unknown,
  };
}

function retentionOf(values: Values): Config['retention'] {
  return {
    cartsDays: values.RETENTION_CARTS_DAYS ?? 90,
    addressesDays: values.RETENTION_ADDRESSES_DAYS ?? 30,
    auditDays: values.RETENTION_AUDIT_DAYS ?? 400,
  };
}

function readValues(env: NodeJS.ProcessEnv): { values: Values; mistakes: string[] } {
  const read: Partial<Record<VariableName, unknown>> = {};
  const mistakes: string[] = [];
  for (const [name, { allowed, read: reader }] of entries()) {
    const text = env[name]?.trim();
    if (!text) continue;
    const value = reader(text);
    if (value instanceof Unreadable) mistakes.push(`${name} must be ${plain(allowed)}.`);
    else read[name] = value;
  }
  return { values: read as Values, mistakes };
}

function contradictions(values: Values): string[] {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_POOLING, ROLE = 'all' } = values;
  const mistakes: string[] = [];
  // Migrations, background jobs and the calls of operators need the login that owns the schema.
  const needsOwner = values.MIGRATE !== false || ROLE !== 'api' || values.OPERATOR_PORT !== undefined;
  if (
    values.OPERATOR_PORT !== undefined &&
    [values.PORT ?? DEFAULT_PORT, values.METRICS_PORT].includes(values.OPERATOR_PORT)
  ) {
    mistakes.push('OPERATOR_PORT must differ from PORT, which is public, and from METRICS_PORT.');
  }
  if (values.SMTP_URL && values.MAILS === 'files') {
    mistakes.push('MAILS=files and SMTP_URL contradict each other. Remove MAILS to send mails, or SMTP_URL.');
  }
  if (values.METRICS_PORT === (values.PORT ?? DEFAULT_PORT)) {
    mistakes.push('METRICS_PORT must differ from PORT, which is public.');
  }
  if (!DATABASE_URL && ROLE !== 'all') {
    mistakes.push(
      `ROLE=${ROLE} needs DATABASE_URL: the embedded database belongs to one process. Set DATABASE_URL, or ROLE=all.`,
    );
  }
  if (!DATABASE_URL && DATABASE_DIRECT_URL) {
    mistakes.push('DATABASE_DIRECT_URL needs DATABASE_URL as well. Without a pooler, set only DATABASE_URL.');
  }
  if (DATABASE_URL && DATABASE_POOLING === 'transaction' && !DATABASE_DIRECT_URL && needsOwner) {
    mistakes.push(
      'DATABASE_POOLING=transaction needs DATABASE_DIRECT_URL: migrations and background jobs do not work through a pooler. Set it to the address of PostgreSQL itself.',
    );
  }
  if (!DATABASE_URL && values.MIGRATE === false) {
    mistakes.push('MIGRATE=off needs DATABASE_URL: only the start migrates the embedded database. Remove it.');
  }
  if (!DATABASE_URL && values.DATABASE_REPLICA_URLS) {
    mistakes.push('DATABASE_REPLICA_URLS needs DATABASE_URL as well: the embedded database has no standbys.');
  }
  if (values.DATABASE_REPLICA_URLS && values.CATALOG_CACHE === false) {
    mistakes.push('DATABASE_REPLICA_URLS needs the catalogue cache. Remove CATALOG_CACHE=off.');
  }
  const missing = S3_VARIABLES.filter((name) => values.S3_ENDPOINT && !values[name]);
  if (missing.length > 0) mistakes.push(`S3_ENDPOINT needs ${missing.join(', ')} as well. Set them, or remove it.`);
  return mistakes;
}

const S3_VARIABLES = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

function tracingOf({
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_SERVICE_NAME,
  OTEL_TRACES_SAMPLER_ARG,
  TRUST_TRACEPARENT,
}: Values): Config['tracing'] {
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  return {
    endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
    serviceName: OTEL_SERVICE_NAME ?? 'commerce-server',
    share: OTEL_TRACES_SAMPLER_ARG ?? 1,
    trustCallers: TRUST_TRACEPARENT ?? true,
  };
}

function s3Of({ S3_ENDPOINT: endpoint, S3_REGION: region = 'us-east-1', ...values }: Values): S3Settings | undefined {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

function unsafeInProduction(values: Values, env: NodeJS.ProcessEnv): string[] {
  const mistakes: string[] = [];
  if (!env.SECRET_KEY?.trim()) {
    mistakes.push(
      'SECRET_KEY is required in production. Generate one with `openssl rand -base64 48` and keep it in your secret store.',
    );
  }
  if (!env.BASE_URL?.trim()) {
    mistakes.push('BASE_URL is required in production. Set the https address at which clients reach the server.');
  } else if (values.BASE_URL?.startsWith('http:')) {
    mistakes.push('BASE_URL must be https in production. Set the address of the proxy that terminates TLS.');
  }
  if (!env.DATABASE_URL?.trim() && !values.ALLOW_EMBEDDED) {
    mistakes.push('DATABASE_URL is required in production. Set it, or ALLOW_EMBEDDED=on to use the embedded database.');
  }
  if (values.RATE_LIMITS === false) mistakes.push('RATE_LIMITS=off is refused in production. Remove it.');
  if (values.CARD_PROVIDER === 'test') {
    mistakes.push(
      'CARD_PROVIDER=test is refused in production: orders would be marked paid without any money. Remove it.',
    );
  }
  if (values.STRIPE_API_URL) {
    mistakes.push(
      'STRIPE_API_URL is refused in production: keys would be sent to an address other than that of Stripe. Remove it.',
    );
  }
  if (values.WEBHOOK_PRIVATE_ADDRESSES) {
    mistakes.push(
      'WEBHOOK_PRIVATE_ADDRESSES=on is refused in production: merchants could reach your private network. Remove it.',
    );
  }
  if (values.DEMO_SHOP) mistakes.push('DEMO_SHOP=on is refused in production: its passwords are public. Remove it.');
  return mistakes;
}

/**
 * Variables of the `commerce` command, storefronts and integrations, which may share the environment or the .env file.
 */
const OF_CLIENTS = [
  ...['COMMERCE_URL', 'COMMERCE_API_KEY', 'COMMERCE_PROFILE', 'COMMERCE_CONFIG'],
  ...['COMMERCE_SITE_ID', 'COMMERCE_STOREFRONT_TOKEN', 'COMMERCE_SYNC_SECRET'],
];

/** Sentences about variables that were probably meant as settings of the server. */
function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const sentences: string[] = [];
  for (const name of Object.keys(env)) {
    if (Object.hasOwn(VARIABLES, name)) continue;
    const meant = entries().find(([known]) => !env[known] && isTypo(name, known))?.[0];
    if (meant) sentences.push(`${name} is not a setting of the server. Did you mean ${meant}?`);
    else if (name.startsWith('COMMERCE_') && !OF_CLIENTS.includes(name))
      sentences.push(`${name} is not a setting of the server. Remove it.`);
  }
  return sentences;
}

// Shorter names are too similar to other valid names: POST is not a misspelling of PORT.
const LEAST_LENGTH_OF_A_TYPO = 8;

/**
 * Whether two names differ only by underscores, a plural, one added, missing or changed letter, or two swapped letters.
 */
function isTypo(name: string, known: string): boolean {
  if (known.length < LEAST_LENGTH_OF_A_TYPO) return false;
  if (stem(name) === stem(known)) return true;
  let same = 0;
  while (same < known.length && name[same] === known[same]) same += 1;
  const [rest, knownRest] = [name.slice(same), known.slice(same)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  return [rest.slice(1), swapped].includes(knownRest) || [rest, rest.slice(1)].includes(knownRest.slice(1));
}

function stem(name: string): string {
  return name.replaceAll('_', '').replace(/IES$/, 'Y').replace(/S$/, '');
}

function keptSecretKey(dataDir: string, keyIn: (dataDir: string) => string): string {
  try {
    return keyIn(dataDir);
  } catch (error) {
    throw new ConfigError([(error as Error).message]);
  }
}

function entries() {
  return Object.entries(VARIABLES) as [VariableName, (typeof VARIABLES)[VariableName]][];
}

/** Removes Markdown's backticks. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
