import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const SCRIPT = join(import.meta.dirname, '../../deploy/ha/cluster.sh');
const run = promisify(execFile);

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

  /** Waits until the former primary follows the new one. Returns whether it does in time. */
  async follows(node: string, withinMs: number): Promise<boolean> {
    const until = Date.now() + withinMs;
    while (Date.now() < until) {
      const members = JSON.parse(await this.script('patronictl', 'list', '-f', 'json')) as Record<string, string>[];
      const member = members.find((one) => one.Member === node);
      if (member?.Role !== 'Leader' && /running|streaming/.test(member?.State ?? '')) return true;
      await sleep(1_000);
    }
    return false;
  }

  async close(): Promise<void> {
    await this.script('down').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
