/**
 * All environment variables of the server: meaning, default and parser. The configuration, `commerce-server doctor` and
 * docs/configuration.md use this list.
 */

import {
  address,
  addresses,
  integer,
  matching,
  oneOf,
  onOrOff,
  origin,
  origins,
  secretKey,
  share,
  type Unreadable,
} from './config-readers.ts';

export interface Variable<Value> {
  /** Purpose, as a sentence for operators. */
  meaning: string;
  /** Description of the allowed values. */
  allowed: string;
  /** Description of the default. */
  whenUnset: string;
  /** Secrets are never printed, not even in part. */
  secret?: true;
  /** Parses the text. Returns Unreadable if it is invalid. */
  read: (text: string) => Value | Unreadable;
}

export const VARIABLES = {
  NODE_ENV: {
    meaning: 'How strict the server is. In `production` it refuses settings that are only safe for development.',
    allowed: '`production`, `development` or `test`',
    whenUnset: '`development`',
    read: oneOf('production', 'development', 'test'),
  },
  PORT: {
    meaning: 'The port that the server listens on.',
    allowed: 'a whole number from 1 to 65535',
    whenUnset: '`8080`',
    read: integer(1, 65_535),
  },
  HOST: {
    meaning: 'The address that the server listens on.',
    allowed: 'an IP address or a host name of this machine',
    whenUnset: '`127.0.0.1`; in production `0.0.0.0`',
    read: matching(/^[A-Za-z0-9.:-]{1,255}$/),
  },
  BASE_URL: {
    meaning:
      'The address at which clients reach the server; links begin with it, except those of shops with a primary host.',
    allowed: 'an `http` or `https` address without a path; in production `https`',
    whenUnset: '`http://localhost:PORT`; in production it is required',
    read: origin,
  },
  DATA_DIR: {
    meaning: 'The directory for local data: the embedded database, the secret key, the demo credentials, mails, files.',
    allowed: 'a directory that the server may write to',
    whenUnset: '`.data`',
    read: matching(/^[^\0]{1,4000}$/),
  },
  S3_ENDPOINT: {
    meaning:
      'An S3-compatible store for uploaded files. Without it they are kept in `files` in `DATA_DIR`, which all processes must share.',
    allowed: 'an `http` or `https` address without a path',
    whenUnset: 'files are kept in `DATA_DIR`',
    read: origin,
  },
  S3_BUCKET: {
    meaning: 'The bucket of the file store. It needs no public access: the server reads and serves the files.',
    allowed: 'the name of a bucket',
    whenUnset: 'required with `S3_ENDPOINT`',
    read: matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
  },
  S3_REGION: {
    meaning: 'The region of the file store.',
    allowed: 'a region such as `eu-central-1`',
    whenUnset: '`us-east-1`',
    read: matching(/^[a-z0-9-]{1,40}$/),
  },
  S3_ACCESS_KEY_ID: {
    meaning: 'The access key of the file store. It must be allowed to get, put and delete objects of the bucket.',
    allowed: 'the id of an access key',
    whenUnset: 'required with `S3_ENDPOINT`',
    read: matching(/^[\x21-\x7e]{3,200}$/),
  },
  S3_SECRET_ACCESS_KEY: {
    meaning: 'The secret of `S3_ACCESS_KEY_ID`.',
    allowed: 'the secret of an access key',
    whenUnset: 'required with `S3_ENDPOINT`',
    secret: true,
    read: matching(/^[\x21-\x7e]{8,200}$/),
  },
  DATABASE_URL: {
    meaning:
      'The PostgreSQL database (15 or newer). Without it, the server runs a PostgreSQL of its own in `DATA_DIR`.',
    allowed: '`postgres://user:password@host:port/database`',
    whenUnset: 'the embedded database; in production it is required',
    secret: true,
    read: address('postgres:', 'postgresql:'),
  },
  DATABASE_DIRECT_URL: {
    meaning:
      'The same database without the pooler. Migrations and background jobs need it for advisory locks and `LISTEN`.',
    allowed: '`postgres://user:password@host:port/database`',
    whenUnset: '`DATABASE_URL`; with `DATABASE_POOLING=transaction` it is required',
    secret: true,
    read: address('postgres:', 'postgresql:'),
  },
  DATABASE_REPLICA_URLS: {
    meaning:
      'Standbys of the database that may read the catalogue in its place (docs/scaling.md), with the same pooling. An address should always lead to a standby, even after a failover.',
    allowed: '`postgres://user:password@host:port/database`, separated by commas',
    whenUnset: 'no standby is read',
    secret: true,
    read: addresses('postgres:', 'postgresql:'),
  },
  ALLOW_EMBEDDED: {
    meaning:
      'Allows the embedded database in production: one machine, one process, and backups are your responsibility.',
    allowed: '`on` or `off`',
    whenUnset: '`off`',
    read: onOrOff,
  },
  DATABASE_POOL_MAX: {
    meaning: 'The most connections to the database that each process uses for requests.',
    allowed: 'a whole number from 2 to 200',
    whenUnset: '`10`',
    read: integer(2, 200),
  },
  DATABASE_POOLING: {
    meaning: 'Set it to `transaction` if a pooler such as PgBouncer may give each transaction another connection.',
    allowed: '`session` or `transaction`',
    whenUnset: '`session`',
    read: oneOf('session', 'transaction'),
  },
  SKIPPED_NUMBERS: {
    meaning:
      'By how much the next order number of each shop advances after a failover or a restored backup, so that no lost number is given out twice.',
    allowed: 'a whole number from 1 to 1000000',
    whenUnset: '`1000`',
    read: integer(1, 1_000_000),
  },
  MIGRATE: {
    meaning:
      'Whether a start migrates the database. With `off`, a process with `ROLE=api` needs no login that owns the schema.',
    allowed: '`on` or `off`',
    whenUnset: '`on`',
    read: onOrOff,
  },
  MIGRATION_WAIT_SECONDS: {
    meaning:
      'How long a start waits for another process that is migrating the database, or for a read-only database, before it gives up with exit code 1.',
    allowed: 'a whole number from 1 to 86400',
    whenUnset: '`300`',
    read: integer(1, 86_400),
  },
  REDIS_URL: {
    meaning: 'Redis, for rate limits that apply across processes. Without it each process counts separately.',
    allowed: '`redis://…` or `rediss://…`',
    whenUnset: 'no Redis',
    secret: true,
    read: address('redis:', 'rediss:'),
  },
  SMTP_URL: {
    meaning: 'The server that mails are sent through. Without it they are written to `outbox` in `DATA_DIR`.',
    allowed: '`smtp://user:password@host:port` or `smtps://…`',
    whenUnset: 'mails are written to files',
    secret: true,
    read: address('smtp:', 'smtps:'),
  },
  MAILS: {
    meaning:
      'Confirms that mails are only written to files. In production a process that runs jobs needs this or `SMTP_URL`.',
    allowed: '`files`, without `SMTP_URL`',
    whenUnset: 'mails are sent through `SMTP_URL`; outside of production they may be written to files',
    read: oneOf('files'),
  },
  MAIL_FROM: {
    meaning: 'The address that mails are sent from. The sender name is that of the shop.',
    allowed: 'an e-mail address',
    whenUnset: '`no-reply@` and the host of `BASE_URL`',
    read: matching(/^[^\s@"<>()[\],;:\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/),
  },
  MAIL_CONCURRENCY: {
    meaning: 'How many mails each process that runs jobs sends at a time, each on a connection of its own.',
    allowed: 'a whole number from 1 to 50',
    whenUnset: '`5`',
    read: integer(1, 50),
  },
  RETENTION_CARTS_DAYS: {
    meaning:
      'How long carts and checkouts without an order are kept after they expired, and links to any checkout and the history of reserved stock.',
    allowed: 'a whole number from 30 to 3650',
    whenUnset: '`90`',
    read: integer(30, 3_650),
  },
  RETENTION_ADDRESSES_DAYS: {
    meaning: 'How long checkouts without an order keep e-mail, phone, addresses and note after they expired.',
    allowed: 'a whole number from 7 to 365',
    whenUnset: '`30`',
    read: integer(7, 365),
  },
  RETENTION_AUDIT_DAYS: {
    meaning: 'How long the audit is kept.',
    allowed: 'a whole number from 90 to 3650',
    whenUnset: '`400`',
    read: integer(90, 3_650),
  },
  SECRET_KEY: {
    meaning:
      'The key that stored secrets are encrypted with. All processes of an installation share it; only `rotate-secret-key` changes it.',
    allowed: 'at least 32 characters from a random source, such as `openssl rand -base64 48`',
    whenUnset: 'generated once and stored in `DATA_DIR/secret.key`; in production it is required',
    secret: true,
    read: secretKey,
  },
  NEW_SECRET_KEY: {
    meaning: 'The key that `commerce-server rotate-secret-key` replaces `SECRET_KEY` with. Nothing else reads it.',
    allowed: 'at least 32 characters from a random source, other than `SECRET_KEY`',
    whenUnset: 'the command replaces a key stored in `DATA_DIR/secret.key` with one that it generates',
    secret: true,
    read: secretKey,
  },
  ROLE: {
    meaning: 'What this process does: answer requests (`api`), run background jobs (`worker`), or both.',
    allowed: '`api`, `worker` or `all`',
    whenUnset: '`all`',
    read: oneOf('api', 'worker', 'all'),
  },
  TRUST_PROXY: {
    meaning:
      'How many proxies are in front of the server. That many hops of `X-Forwarded-For` are trusted for the client address.',
    allowed: 'a whole number from 0 to 10',
    whenUnset: '`0`',
    read: integer(0, 10),
  },
  KEEP_ALIVE_SECONDS: {
    meaning:
      'How long an idle connection stays open. It must exceed the idle timeout of a proxy in front of the server.',
    allowed: 'a whole number from 1 to 600',
    whenUnset: '`5`; behind a proxy `65`',
    read: integer(1, 600),
  },
  DRAIN_SECONDS: {
    meaning:
      'How long the server keeps serving after SIGTERM while `/readyz` answers 503, so that a load balancer can take it out.',
    allowed: 'a whole number from 0 to 8',
    whenUnset: '`0`; in production `5`',
    read: integer(0, 8),
  },
  METRICS_TOKEN: {
    meaning: 'The Bearer token for reading `/metrics`. Without it, `/metrics` on `PORT` answers 404 in production.',
    allowed: 'at least 16 characters, without spaces',
    whenUnset: 'no token; `/metrics` is open, but only outside production',
    secret: true,
    read: matching(/^[\x21-\x7e]{16,1000}$/),
  },
  METRICS_HOST: {
    meaning: 'The address that `METRICS_PORT` listens on.',
    allowed: 'an IP address or a host name of this machine',
    whenUnset: 'the address of `HOST`',
    read: matching(/^[A-Za-z0-9.:-]{1,255}$/),
  },
  METRICS_PORT: {
    meaning: 'A separate port for `/metrics`; do not expose it to the public.',
    allowed: 'a whole number from 1 to 65535, other than `PORT`',
    whenUnset: '`/metrics` is served on `PORT`',
    read: integer(1, 65_535),
  },
  LOG_LEVEL: {
    meaning: 'The least severe log lines that are written.',
    allowed: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    whenUnset: '`info`',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  DASHBOARD_ORIGINS: {
    meaning: 'The web origins whose pages may call the dashboard surface from a browser.',
    allowed: 'addresses without a path, separated by commas',
    whenUnset: 'none',
    read: origins,
  },
  RATE_LIMITS: {
    meaning: 'Whether requests beyond the rate limits are refused. Switch it off for measurements only.',
    allowed: '`on` or `off`; in production `on`',
    whenUnset: '`on`',
    read: onOrOff,
  },
  CATALOG_CACHE: {
    meaning: 'Whether answers to storefront reads of the catalogue are cached in memory until the catalogue changes.',
    allowed: '`on` or `off`',
    whenUnset: '`on`',
    read: onOrOff,
  },
  WEBHOOK_PRIVATE_ADDRESSES: {
    meaning:
      'Allows webhooks to plain `http` and to private addresses, such as a receiver on this machine. Refused in production.',
    allowed: '`on` or `off`',
    whenUnset: '`on`; in production `off`',
    read: onOrOff,
  },
  WEBHOOK_CONCURRENCY: {
    meaning:
      'How many webhook calls each process makes at a time: up to 20 for one shop (fewer when few are free), up to 5 for one webhook.',
    allowed: 'a whole number from 1 to 500',
    whenUnset: '`200`',
    read: integer(1, 500),
  },
  OPERATOR_PORT: {
    meaning: 'The port of the listener for operators, which needs a key of `commerce-server operator-keys`.',
    allowed: 'a whole number from 1 to 65535, other than `PORT`',
    whenUnset: 'there is no such listener',
    read: integer(1, 65_535),
  },
  OPERATOR_HOST: {
    meaning: 'The address that the listener for operators listens on.',
    allowed: 'an IP address or a host name of this machine',
    whenUnset: '`127.0.0.1`',
    read: matching(/^[A-Za-z0-9.:-]{1,255}$/),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      'Where traces are sent, by OTLP over HTTP with JSON (`/v1/traces` is added). The packages of OpenTelemetry have to be installed; its `OTEL_EXPORTER_OTLP_HEADERS` is read as well.',
    allowed: 'an `http` or `https` address',
    whenUnset: 'nothing is traced, and no package of OpenTelemetry is needed',
    read: address('http:', 'https:'),
  },
  OTEL_SERVICE_NAME: {
    meaning: 'The name of this process in traces.',
    allowed: 'up to 100 letters, digits, `.`, `_` and `-`',
    whenUnset: '`commerce-server`',
    read: matching(/^[A-Za-z0-9._-]{1,100}$/),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'The share of traces that are kept, where the `traceparent` of a trusted caller has not decided it.',
    allowed: 'a number from `0` to `1`',
    whenUnset: '`1`',
    read: share,
  },
  TRUST_TRACEPARENT: {
    meaning:
      'Whether a request continues the trace of its `traceparent`, which then decides whether it is kept. `off` where anybody may send the header: each request then begins a trace, with a link to the one of its caller.',
    allowed: '`on` or `off`',
    whenUnset: '`on`',
    read: onOrOff,
  },
  CARD_PROVIDER: {
    meaning: 'The provider of card payments. `test` takes no money: its tokens determine the result of a payment.',
    allowed: '`none` or `test`; in production `none`',
    whenUnset: '`test`; in production `none`',
    read: oneOf('none', 'test'),
  },
  STRIPE_PLATFORM_KEY: {
    meaning: 'The secret key of a Stripe platform, for sites whose payments go to a connected account of it.',
    allowed: 'a key that begins with `sk_` or `rk_`',
    whenUnset: 'each site uses the key of its own account',
    secret: true,
    read: matching(/^[sr]k_(?:live|test)_\w{3,240}$/),
  },
  STRIPE_API_URL: {
    meaning: 'An address to use in place of that of Stripe, for tests. Refused in production.',
    allowed: 'an `http` or `https` address without a path',
    whenUnset: 'Stripe itself',
    read: origin,
  },
  VALIDATE_RESPONSES: {
    meaning: 'Whether each answer is validated against the contract before it is sent. Slow; meant for tests.',
    allowed: '`on` or `off`',
    whenUnset: '`off`',
    read: onOrOff,
  },
  DEMO_SHOP: {
    meaning:
      'Whether a start on the embedded database creates a demo shop, with its credentials in `DATA_DIR/demo.json`, if there is none.',
    allowed: '`on` or `off`; in production `off`',
    whenUnset: '`on` if the database holds no other shop; in production `off`',
    read: onOrOff,
  },
} as const satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof VARIABLES;

/** Parsed values of all variables; undefined if a variable is not set. */
export type Values = {
  [Name in VariableName]?: Exclude<ReturnType<(typeof VARIABLES)[Name]['read']>, Unreadable>;
};
