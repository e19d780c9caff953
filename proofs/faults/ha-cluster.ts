import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const SCRIPT = join(import.meta.dirname, '../../deploy/ha/cluster.sh');
const run = promisify(execFile);
const NODES = ['db1', 'db2', 'db3'];
/** The state of a standby that follows no primary, for example because `pg_rewind` has failed. */
const NOT_STREAMING = 'running, but does not stream';
/** After this number of checks (about 40 s) with a failed start or without streaming, a member is copied again. */
const SEEN_TO_COPY = 20;

/** The set-up of deploy/ha, on its own loopback addresses. */
export class HaCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'commerce-ha-'));
  /** The first three numbers of the cluster's IP addresses. */
  readonly net = `127.${20 + (process.pid % 200)}.${1 + (Math.trunc(process.pid / 200) % 250)}`;

  /** Runs the script of deploy/ha, and returns its output. */
  async script(...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, FOLDER: this.folder, NET: this.net };
    const { stdout } = await run(SCRIPT, args, { env, timeout: 240_000 });
    return stdout.trim();
  }

  /** The servers' settings, as `cluster.sh environment` prints them. */
  async environment(): Promise<Record<string, string>> {
    const lines = (await this.script('environment')).split('\n');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  }

  /** Runs a statement on the primary as the superuser. */
  async sql<Row extends object>(text: string, values: unknown[] = [], database = 'commerce'): Promise<Row[]> {
    const client = new pg.Client(await this.superuserUrl(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** The superuser's URL of the primary, or of a node such as db1. */
  async superuserUrl(database: string, node?: string): Promise<string> {
    const password = await this.script('superuser-password');
    return `postgres://postgres:${password}@${this.net}.${node?.slice(2) ?? 10}:5432/${database}`;
  }

  /** The process id of the Patroni of a node. */
  async patroni(node: string): Promise<number> {
    return Number(await readFile(join(this.folder, `patroni${node.slice(2)}.pid`), 'utf8'));
  }

  /**
   * Waits until every member is the primary or streams from it. Copies a member that does not start or does not stream,
   * as docs/high-availability.md advises. Returns the members that do not return in time and the copied ones, each with
   * its state.
   */
  async complete(withinMs: number): Promise<{ missing: string[]; copied: string[] }> {
    const until = Date.now() + withinMs;
    const copied: string[] = [];
    const seen = new Map<string, number>();
    for (;;) {
      const missing = await this.#missing();
      if (missing.length === 0) return { missing: [], copied };
      const described = missing.map(({ node, state }) => `${node} is ${state}${this.#lastFatal(node)}`);
      if (Date.now() > until) return { missing: described, copied };
      for (const [i, { node, state }] of missing.entries()) {
        if (state !== 'start failed' && state !== NOT_STREAMING) continue;
        const times = (seen.get(node) ?? 0) + 1;
        seen.set(node, times);
        if (times !== SEEN_TO_COPY) continue;
        copied.push(described[i] ?? node);
        await this.script('patronictl', 'reinit', 'commerce', node, '--force');
      }
      await sleep(1_000);
    }
  }

  /** The members that are not the primary and do not stream from it, with the state that Patroni reports. */
  async #missing(): Promise<{ node: string; state: string }[]> {
    const members = JSON.parse(await this.script('patronictl', 'list', '-f', 'json')) as Record<string, string>[];
    const rows = await this.sql<{ name: string }>(
      "select application_name as name from pg_stat_replication where state = 'streaming'",
    ).catch(() => []);
    return NODES.flatMap((node) => {
      const member = members.find((one) => one.Member === node);
      const there = member?.Role === 'Leader' || rows.some(({ name }) => name === node);
      const state = member?.State === 'running' ? NOT_STREAMING : member?.State;
      return there && member?.State !== undefined && /running|streaming/.test(member.State)
        ? []
        : [{ node, state: state ?? 'not running' }];
    });
  }

  /** The last error with which the PostgreSQL of a node ended, in parentheses. */
  #lastFatal(node: string): string {
    const log = readFileSync(join(this.folder, `patroni${node.slice(2)}.log`), 'utf8').slice(-20_000);
    const fatal = log.split('\n').findLast((line) => /FATAL:(?! +the database system is)/.test(line));
    return fatal ? ` (${fatal.slice(fatal.indexOf('FATAL:'))})` : '';
  }

  async close(): Promise<void> {
    await this.script('down').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
