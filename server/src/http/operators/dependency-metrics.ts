import { statfs } from 'node:fs/promises';
import type { Pool } from 'pg';
import type { RedisClientType } from 'redis';
import { type JobBacklog, readQueue } from '../../db/queue-state.ts';
import { isReadOnly } from '../../db/read-only.ts';
import { readStandbys } from '../../db/standby-state.ts';
import { isKnownFull } from '../../db/storage.ts';
import { Gauge, type Registry } from '../../metrics/kinds.ts';

export interface Measured {
  db: Pool;
  redis?: RedisClientType | undefined;
  dataDir?: string;
}

type Registers = InstanceType<typeof Registry>[];

/**
 * Metrics of the database, the job queue, Redis and the disk, measured each time the metrics are read. `aggregator`
 * sets how the values of processes with a common /metrics are combined (merged-metrics.ts); the default is their sum.
 */
export function gaugeDependencies({ db, redis, dataDir }: Measured, registers: Registers): void {
  gaugePool(db, registers);
  gaugeQueue(db, registers);
  gaugeDatabase(db, registers);
  if (redis) {
    new Gauge({
      name: 'redis_up',
      help: 'Whether Redis is connected',
      registers,
      aggregator: 'min',
      collect() {
        this.set(redis.isReady ? 1 : 0);
      },
    });
  }
  if (dataDir) gaugeDisk(dataDir, registers);
}

function gaugePool(db: Pool, registers: Registers): void {
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of the pool by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'open' }, db.totalCount);
      this.set({ state: 'idle' }, db.idleCount);
      this.set({ state: 'waiting' }, db.waitingCount);
    },
  });
}

/**
 * Reports the job queue whenever the metrics are read. The queue is in the database, so every process reports the same
 * values. Reports nothing if the queue cannot be read.
 */
function gaugeQueue(db: Pool, registers: Registers): void {
  let reading: Promise<JobBacklog[]> | undefined;
  // One statement reads the values of both metrics.
  const read = () => {
    reading ??= readQueue(db)
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (name: string, help: string, figure: (due: JobBacklog) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['job'], registers, aggregator: 'max' },
      async collect() {
        const queue = await read();
        this.reset();
        for (const due of queue) this.set({ job: due.job }, figure(due));
      },
    });
  gauge('jobs_due', 'Jobs that are due and not started, by name', ({ waiting }) => waiting);
  gauge('jobs_oldest_due_seconds', 'How long the oldest of them has been due', ({ oldest_seconds }) => oldest_seconds);
}

/**
 * Reports whether the database is known to reject writes or to have a full disk, and how far its standbys are behind.
 */
function gaugeDatabase(db: Pool, registers: Registers): void {
  new Gauge({
    name: 'database_read_only',
    help: 'Whether the database rejects every write (SQLSTATE 25006)',
    registers,
    aggregator: 'max',
    collect() {
      this.set(isReadOnly(db) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'database_disk_full',
    help: 'Whether the last write failed because the disk of the database is full',
    registers,
    aggregator: 'max',
    collect() {
      this.set(isKnownFull(db) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'database_standby_lag_bytes',
    help: 'Changes that a standby has not replayed yet; absent unless the owner of the schema is in pg_monitor',
    labelNames: ['standby', 'sync_state'],
    registers,
    aggregator: 'max',
    async collect() {
      const standbys = await readStandbys(db).catch(() => []);
      this.reset();
      for (const { standby, sync_state, lag_bytes } of standbys) this.set({ standby, sync_state }, lag_bytes);
    },
  });
}

/** The disk of DATA_DIR, where files are stored unless they are in a bucket. */
function gaugeDisk(dataDir: string, registers: Registers): void {
  const gauge = (name: string, help: string, blocksOf: (disk: { bavail: number; blocks: number }) => number) =>
    new Gauge({
      ...{ name, help, registers, aggregator: 'first' },
      async collect() {
        const disk = await statfs(dataDir).catch(() => undefined);
        if (disk) this.set(blocksOf(disk) * disk.bsize);
      },
    });
  gauge('data_directory_free_bytes', 'Free space on the disk of DATA_DIR', ({ bavail }) => bavail);
  gauge('data_directory_size_bytes', 'Size of the disk of DATA_DIR', ({ blocks }) => blocks);
}
