import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { HaCluster } from './ha-cluster.ts';

const MAIN = join(import.meta.dirname, '../../server/src/main.ts');
const run = promisify(execFile);

/** Two API processes and a worker in front of a cluster. */
export class HaServers {
  readonly baseUrl: string;
  /** Path of the log file that all processes write to. */
  readonly log: string;
  readonly #processes: ChildProcess[] = [];
  readonly #env: Record<string, string | undefined>;
  readonly #net: string;

  constructor(cluster: HaCluster, environment: Record<string, string>) {
    const data = join(cluster.folder, 'data');
    mkdirSync(data);
    this.log = join(data, 'server.log');
    this.#net = cluster.net;
    this.baseUrl = `http://${cluster.net}.10:8080`;
    const { PATH, HOME } = process.env;
    this.#env = {
      ...environment,
      PATH,
      HOME,
      DATA_DIR: data,
      SECRET_KEY: 'a secret of the proof, long enough',
      BASE_URL: this.baseUrl,
    };
  }

  /** Runs a command of commerce-server. Returns its output and its exit code. */
  async command(...args: string[]): Promise<{ output: string; code: number }> {
    return run(process.execPath, [MAIN, ...args], { env: this.#env, timeout: 120_000 }).then(
      ({ stdout }) => ({ output: stdout, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => ({
        output: `${error.stdout}${error.stderr}`,
        code: error.code,
      }),
    );
  }

  /** Opens a shop with one product of unlimited stock. Returns its credentials. */
  async openShop(): Promise<{ site_id: string; storefront_token: string; sync_secret: string; api_key: string }> {
    const file = join(this.#env.DATA_DIR ?? '', 'shop.json');
    writeFileSync(file, JSON.stringify(SHOP));
    const { output } = await this.command('site', 'create', '--file', file);
    const shop = JSON.parse(output.slice(output.indexOf('{')));
    // Raises the rate limits, because all shoppers have the same IP address.
    await this.command('site', 'limits', shop.site_id, '--set', 'storefront_read=60000', 'cart_write=6000');
    return shop;
  }

  async start(): Promise<void> {
    const addresses = { api1: `${this.#net}.21`, api2: `${this.#net}.22`, worker: `${this.#net}.23` };
    for (const [name, HOST] of Object.entries(addresses)) {
      const ROLE = name === 'worker' ? 'worker' : 'api';
      const child = spawn(process.execPath, [MAIN, 'start'], {
        env: { ...this.#env, HOST, PORT: '8080', ROLE },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.pipe(createWriteStream(this.log, { flags: 'a' }));
      child.stderr.pipe(createWriteStream(this.log, { flags: 'a' }));
      this.#processes.push(child);
    }
    for (const HOST of Object.values(addresses)) await readyAt(`http://${HOST}:8080`);
    await readyAt(this.baseUrl);
  }

  /** The number of processes that have ended. */
  get ended(): number {
    return this.#processes.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null).length;
  }

  async stop(): Promise<void> {
    for (const child of this.#processes) child.kill('SIGKILL');
    await sleep(100);
  }
}

async function readyAt(baseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 90; attempt += 1) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(1_000);
  }
  throw new Error(`${baseUrl} is not ready.`);
}

const SHOP = {
  name: 'Failover',
  currency: 'EUR',
  settings: { bank_details: { account_holder: 'Failover GmbH', iban: 'DE89370400440532013000' } },
  shipping_options: [{ name: 'Parcel', price: '4.90' }],
  products: [{ name: 'Mug', slug: 'mug', status: 'active', price: '10.00', track_inventory: false }],
};
