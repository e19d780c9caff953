import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareSchema } from '../../server/src/commands/schema.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { eventShopOf } from '../testing/webhook-shop.ts';
import { Callers, type CallResult } from './callers.ts';
import { type IsolatedTrial, isolated } from './isolated.ts';
import { Partition } from './local-faults.ts';

const CALLERS = 16;
const CONNECTIONS = 10;
const ANSWERED_WITHIN_MS = 8_000;
/** TCP doubles the delay between retransmissions, so recovery may take long. */
const HEALED_WITHIN_MS = 60_000;

/** The network between the server and PostgreSQL silently drops every packet for a while. */
export const C7: Proof = {
  id: 'C7',
  promise:
    'While the database is cut off, every call gets a response within 8 s, and afterwards everything works as before.',
  run: (trial) => isolated('C7', trial),
};

export function attackByPartition({ size, progress }: IsolatedTrial): Promise<Figures> {
  return withDirectory(async (directory) => {
    const violations = new Violations();
    const database = await startEmbedded({ dataDir: directory, durable: false });
    const owner = new pg.Pool({ connectionString: database.superuserUrl, max: 2 });
    owner.on('error', () => undefined);
    await prepareSchema(database.url);
    const server = new ServerProcess(await freePort(), {
      ...{ DATABASE_URL: database.url, DATA_DIR: directory, DATABASE_POOL_MAX: String(CONNECTIONS), ROLE: 'all' },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
    });
    try {
      await server.readyAtLast();
      const partition = new Partition(Number(new URL(database.url).port));
      const scene = await Scene.open(server, database.superuserUrl, owner, violations);
      for (let round = 0; round < pick(size, 1, 5); round += 1) {
        await scene.cutOff(partition, pick(size, 12, 30));
        if (!server.running) throw new Error(`The server ended: ${server.errors}${server.output.slice(-2_000)}`);
        progress(`${round + 1} partitions; ${scene.summary()}`);
      }
      await scene.close();
      return { tried: scene.answers, unit: 'calls while cut off', violations: violations.list, note: scene.summary() };
    } finally {
      await server.end('SIGTERM');
      await owner.end();
      await database.stop();
    }
  });
}

/** A shop, the callers who use it, and the receivers of its events. */
class Scene {
  answers = 0;
  readonly #server: ServerProcess;
  readonly #callers: Callers;
  readonly #owner: pg.Pool;
  readonly #violations: Violations;
  readonly #receiver: Awaited<ReturnType<typeof openReceiver>>;
  #slowest = 0;
  #healed = 0;
  #fewest = CONNECTIONS;

  private constructor(
    server: ServerProcess,
    callers: Callers,
    owner: pg.Pool,
    receiver: Awaited<ReturnType<typeof openReceiver>>,
    violations: Violations,
  ) {
    this.#server = server;
    this.#callers = callers;
    this.#owner = owner;
    this.#receiver = receiver;
    this.#violations = violations;
  }

  static async open(server: ServerProcess, superuserUrl: string, owner: pg.Pool, violations: Violations) {
    const tenant = await openTenant(superuserUrl);
    const receiver = await openReceiver();
    const shop = eventShopOf(tenant, () => [server.baseUrl]);
    await shop.addWebhook(receiver.url, ['product.created']);
    return new Scene(server, new Callers(server.baseUrl, tenant), owner, receiver, violations);
  }

  summary(): string {
    return `slowest answer ${(this.#slowest / 1_000).toFixed(1)} s; served again after ${(this.#healed / 1_000).toFixed(1)} s; ${this.#fewest} of ${CONNECTIONS} connections usable afterwards`;
  }

  async close(): Promise<void> {
    await this.#receiver.close();
  }

  async cutOff(partition: Partition, seconds: number): Promise<void> {
    this.#callers.results.length = 0;
    this.#callers.begin(CALLERS);
    await sleep(2_000);
    const begun = performance.now();
    partition.begin();
    await sleep(seconds * 1_000);
    const healed = performance.now();
    partition.heal();
    await this.#serveAgain(healed);
    await this.#callers.rest();
    if (!this.#server.running) return;
    this.#judge(this.#callers.results, begun, healed);
    await this.#countSlots();
    await this.#deliverAgain();
  }

  /** Waits until a write that began after the partition has succeeded. */
  async #serveAgain(healed: number): Promise<void> {
    for (const end = healed + HEALED_WITHIN_MS; performance.now() < end && this.#server.running; await sleep(20)) {
      const done = this.#callers.results.findLast(({ status, begun }) => status === 201 && begun > healed);
      if (!done) continue;
      this.#healed = Math.max(this.#healed, done.ended - healed);
      return;
    }
    this.#violations.add(`Nothing was served within ${HEALED_WITHIN_MS / 1_000} s of the end of the partition`);
  }

  #judge(results: CallResult[], begun: number, healed: number): void {
    const meanwhile = results.filter((one) => one.ended > begun && one.begun < healed);
    this.answers += meanwhile.length;
    for (const { what, status, error, ...one } of results) {
      // For responses other than 503, only the time during the outage counts, because afterwards hashing a password may
      // take seconds on a busy machine.
      const until = status === 0 || status === 503 ? one.ended : Math.min(one.ended, healed);
      const waited = until - Math.max(one.begun, begun);
      this.#slowest = Math.max(this.#slowest, waited);
      if (status === 0) this.#violations.add(`${what} got no response: ${error}`);
      else if (waited > ANSWERED_WITHIN_MS) {
        this.#violations.add(`${what} was kept waiting for ${Math.round(waited)} ms, and answered by ${status}`);
      }
      // A login that failed because of the database counts as a failed attempt, so later ones may be throttled.
      if (what === 'login' && status === 429) continue;
      const inside = one.begun > begun && one.ended < healed;
      if (status > 0 && (inside ? status !== 503 : status >= 300 && status !== 503)) {
        this.#violations.add(`${what} was answered by ${status} ${error}`);
      }
    }
    if (!meanwhile.some(({ status }) => status === 503))
      this.#violations.add('No call was cut off, so the proof shows nothing');
  }

  /**
   * Counts the usable connections: locks a table, makes more calls than there are connections, and counts the
   * connections that wait for the lock.
   */
  async #countSlots(): Promise<void> {
    const holder = await this.#owner.connect();
    let usable = 0;
    try {
      await holder.query('begin; lock table commerce.products in access exclusive mode');
      const calls = Array.from({ length: 2 * CONNECTIONS }, () => this.#callers.call('product'));
      for (let tries = 0; tries < 150 && usable < CONNECTIONS; tries += 1) {
        const { rows } = await this.#owner.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
            where application_name = 'commerce' and wait_event_type = 'Lock'`,
        );
        usable = Math.max(usable, rows[0]?.count ?? 0);
        await sleep(10);
      }
      await holder.query('rollback');
      await Promise.all(calls);
    } finally {
      holder.release(true);
    }
    this.#fewest = Math.min(this.#fewest, usable);
    if (usable < CONNECTIONS) this.#violations.add(`${CONNECTIONS - usable} of ${CONNECTIONS} connections were lost`);
  }

  /** Expects that all webhooks are delivered, for new changes and for earlier ones. */
  async #deliverAgain(): Promise<void> {
    const left = `select from commerce.webhook_deliveries where status = 'pending'`;
    await this.#callers.call('product');
    for (const end = Date.now() + HEALED_WITHIN_MS; Date.now() < end; await sleep(100)) {
      if ((await this.#owner.query(left)).rowCount === 0) return;
    }
    const { rowCount } = await this.#owner.query(left);
    if (rowCount)
      this.#violations.add(
        `${rowCount} events were not sent within ${HEALED_WITHIN_MS / 1_000} s after the partition ended`,
      );
  }
}
