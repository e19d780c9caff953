import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPool } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import type { SiteCredentials } from '../../server/src/shop/merchant/sites.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../frame.ts';
import { type Books, decide, faultIn, letTimePass, settle } from '../payments.ts';
import { type Chance, chanceOf } from '../random.ts';
import type { Failpoint, FailpointNews, Fault } from './failpoints.ts';
import { ServerProcess, withDirectory } from './server-process.ts';
import { openTenant } from './tenant.ts';

/**
 * The server throws, ends or hangs at any answer of the database while a card is paid. The books of the test provider are in the
 * database, too, but in transactions of their own: so it fails before, during and after every call of the provider.
 */
export const K1: Proof = {
  id: 'K1',
  promise:
    'Wherever the server fails while a card is paid, and whoever goes on, no money stays taken without an order, and no order is paid without money.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

const LANES = 4;

async function attack(trial: Trial, directory: string): Promise<Figures> {
  const { databaseUrl, size, seed } = trial;
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ROLE: 'api' };
  const violations = new Violations();
  const counts: Record<string, number> = {};
  const rounds = pick(size, 8, 1_000);
  let begun = 0;
  const work = async (number: number) => {
    const lane = await Lane.open(env, databaseUrl, chanceOf(seed + number));
    try {
      while (begun < rounds) {
        begun += 1;
        const { outcome, fault } = await lane.playRound();
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (fault) violations.add(`seed ${seed}, ${fault}`);
        if (begun % 50 === 0) trial.progress(`round ${begun}, ${JSON.stringify(counts)}`);
      }
    } finally {
      await lane.close();
    }
  };
  await Promise.all(Array.from({ length: pick(size, 1, LANES) }, (_, number) => work(number)));
  const told = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return { tried: rounds, unit: 'payments', violations: violations.list, note: told.sort().join(', ') };
}

const MEANS = [
  'tok_success',
  'tok_declined',
  'tok_late_success',
  'tok_authorized',
  'tok_3ds',
  'tok_3ds',
  'page',
] as const;
const FAULTS: Fault[] = ['throw', 'throw', 'exit', 'hang'];
/** A payment takes about this many answers of the database. */
const ANSWERS = 60;
/** What hangs lets go after ten seconds. */
const MINUTES = 20;
/** A client does not wait for a server that hangs. */
const PATIENCE_MS = 700;

/** A server with a shop of its own, which is started again when it has ended. */
class Lane {
  readonly #env: Record<string, string>;
  readonly #chance: Chance;
  readonly #credentials: SiteCredentials;
  readonly #books: Books;
  #server: ServerProcess;
  #variant_id = '';

  private constructor(
    env: Record<string, string>,
    chance: Chance,
    { credentials, books, server }: { credentials: SiteCredentials; books: Books; server: ServerProcess },
  ) {
    this.#env = env;
    this.#chance = chance;
    this.#credentials = credentials;
    this.#books = books;
    this.#server = server;
  }

  static async open(env: Record<string, string>, databaseUrl: string, chance: Chance): Promise<Lane> {
    const credentials = await openTenant(databaseUrl);
    const { site_id, merchant_id } = credentials;
    const tenant: Books['tenant'] = {
      ...{ site_id, merchant_id, currency: 'EUR', currency_digits: 2, catalog_version: '', show_stock: 'exact' },
    };
    const db = openPool({ url: databaseUrl, max: 4, pooling: 'session' });
    const owner = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    const lane = new Lane(env, chance, { credentials, books: { db, owner, tenant }, server: await start(env) });
    const product = await lane.#must<{ variants: { id: string }[] }>('POST', '/api/dashboard/products', {
      ...{ name: 'Mug', price: '10.00', status: 'active', requires_shipping: false, inventory_quantity: 5_000 },
    });
    lane.#variant_id = product.variants[0]?.id ?? '';
    return lane;
  }

  async close(): Promise<void> {
    await this.#server.end('SIGKILL');
    await Promise.all([this.#books.db.end(), this.#books.owner.end()]);
  }

  /** One checkout, paid while the server fails; then time passes until all is settled. */
  async playRound(): Promise<{ outcome: string; fault: string | undefined }> {
    const chance = this.#chance;
    const { checkout_id, page } = await this.#ready();
    const means = chance.of(MEANS);
    const payment = means === 'page' ? { return_url: 'https://shop.example.com/thanks' } : { card_token: means };
    const path = `/api/storefront/checkout/${checkout_id}`;
    const key = randomUUID();
    const complete = (under: string, body: object) => this.#send('POST', `${path}/complete`, body, under);
    const approved = chance.next() < 0.7;
    const steps: Record<string, () => Promise<unknown>> = {
      first: () => complete(key, { payment }),
      again: () => complete(key, { payment }),
      anew: () => complete(randomUUID(), { payment }),
      goOn: () => complete(randomUUID(), {}),
      human: () => decide(this.#books, checkout_id, approved),
      back: () => this.#open(`${page}/return`),
      cancel: () => this.#send('POST', `${path}/payment/cancel`, undefined, randomUUID()),
      job: () => settle(this.#books),
    };
    const played = ['first', ...chance.some(Object.keys(steps).slice(1), 2 + Math.floor(chance.next() * 5))];
    const told: string[] = [means];
    for (const [i, step] of played.entries()) {
      const failpoint = { after: 1 + Math.floor(chance.next() * ANSWERS), fault: chance.of(FAULTS) };
      const fails = i < 3 && chance.next() < 0.8;
      if (fails) await this.#arm(failpoint);
      const together = chance.next() < 0.25 ? steps[chance.of(['anew', 'back', 'job'])]?.() : undefined;
      await Promise.all([steps[step]?.(), together].map((one) => Promise.resolve(one).catch(() => undefined)));
      if (fails) await this.#restore();
      told.push(fails ? `${step} (${failpoint.fault} after ${failpoint.after})` : step);
    }
    for (let minute = 0; minute < MINUTES; minute += 1) {
      await letTimePass(this.#books);
      await settle(this.#books);
      if (minute > 0 && !(await faultIn(this.#books, checkout_id))) break;
      if (minute > 2) await sleep(1_000);
    }
    const fault = await faultIn(this.#books, checkout_id);
    return { outcome: await this.#outcomeOf(checkout_id), fault: fault && `${told.join(', ')}: ${fault}` };
  }

  async #outcomeOf(checkout_id: string): Promise<string> {
    const { rows } = await this.#books.owner.query<{ outcome: string }>(
      `select coalesce((select o.payment_status from commerce.orders o where o.site_id = $1 and o.checkout_id = $2),
        'no order') as outcome`,
      [this.#credentials.site_id, checkout_id],
    );
    return rows[0]?.outcome ?? '';
  }

  async #ready() {
    const { id: cart_id } = await this.#must<{ id: string }>('POST', '/api/storefront/cart');
    await this.#must('POST', `/api/storefront/cart/${cart_id}/items`, { variant_id: this.#variant_id, quantity: 1 });
    const { id: checkout_id, checkout_url } = await this.#must<{ id: string; checkout_url: string }>(
      ...(['POST', '/api/storefront/checkout', { cart_id }] as const),
    );
    const answers = { email: 'june@example.com', payment_method: 'card' };
    await this.#must('PATCH', `/api/storefront/checkout/${checkout_id}`, answers);
    return { checkout_id, page: new URL(checkout_url).pathname };
  }

  async #must<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.#send(method, path, body, randomUUID(), 10_000);
    if (response.status < 300) return response.json() as Promise<T>;
    throw new Error(`${method} ${path} of the proof was refused: ${response.status} ${await response.text()}`);
  }

  #send(method: string, path: string, body: object | undefined, key: string, within = PATIENCE_MS): Promise<Response> {
    const { site_id, storefront_token, api_key } = this.#credentials;
    const own = path.startsWith('/api/dashboard')
      ? { 'X-API-Key': api_key }
      : { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const headers = { ...own, 'Idempotency-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
    const sent = body ? { body: JSON.stringify(body) } : {};
    const signal = AbortSignal.timeout(within);
    return fetch(this.#server.baseUrl + path, { method, headers, signal, ...sent });
  }

  #open(path: string): Promise<Response> {
    return fetch(this.#server.baseUrl + path, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  #arm(failpoint: Failpoint): Promise<void> {
    return new Promise((armed) => {
      this.#server.order<FailpointNews>(failpoint, (news) => news === 'armed' && armed());
    });
  }

  /** Afterwards the server runs, and fails no more. */
  async #restore(): Promise<void> {
    const exit = await Promise.race([this.#server.exited, this.#arm({ after: 0, fault: 'throw' })]);
    if (exit) this.#server = await start(this.#env);
  }
}

async function start(env: Record<string, string>): Promise<ServerProcess> {
  return new ServerProcess(await freePort(), env, 'failpoints.ts').readyAtLast();
}
