import { LimitedServers } from '../testing/limited-servers.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';

/**
 * The maximum numbers of tried discount codes: on one cart in a minute, from one IP address in 15 minutes, and in a
 * whole shop in 15 minutes.
 */
const ON_CART = 10;
const BY_ADDRESS = 30;
const IN_SHOP = 300;

/**
 * Guesses discount codes on one cart, from one IP address, and from many addresses that each stay below their own
 * limit.
 */
export const I7: Proof = {
  id: 'I7',
  promise: `At most ${ON_CART} discount codes a minute are checked per cart, and in 15 minutes at most ${BY_ADDRESS} wrong ones per IP address and ${IN_SHOP} per shop.`,
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack(trial: Trial, directory: string): Promise<Figures> {
  const servers = await LimitedServers.start(trial, directory);
  const violations = new Violations();
  try {
    let tried = 0;
    for (let round = 0; round < pick(trial.size, 1, 5); round += 1) {
      tried += await guess(trial, servers, violations);
    }
    return { tried, unit: 'guesses', violations: violations.list, note: 'two server processes' };
  } finally {
    await servers.stop();
  }
}

async function guess(trial: Trial, servers: LimitedServers, violations: Violations): Promise<number> {
  let tried = 0;
  const judge = (statuses: number[], limit: number, who: string) => {
    tried += statuses.length;
    const looked = statuses.filter((status) => status === 400).length;
    const refused = statuses.filter((status) => status === 429).length;
    const failed = statuses.filter((status) => status === 503).length;
    const summary = `${who}: ${looked} codes were looked at, ${refused} refused and ${failed} got 503, of ${statuses.length}`;
    // On a busy machine, a guess that was counted may fail with 503. Then fewer codes than allowed are checked, but
    // never more.
    const least = Math.max(1, limit - failed);
    if (looked > limit || looked < least || looked + refused + failed !== statuses.length) violations.add(summary);
  };

  const one = await Guessers.open(trial, servers);
  const cart = await one.cart();
  judge(await one.many(40, () => ({ cart, address: servers.newAddress() })), ON_CART, 'one cart');

  const other = await Guessers.open(trial, servers);
  const address = servers.newAddress();
  const carts = await other.carts(8);
  judge(await other.many(64, (n) => ({ cart: carts[n % 8] ?? '', address })), BY_ADDRESS, 'one address');

  const many = await Guessers.open(trial, servers);
  const spread = await many.carts(50);
  const addresses = Array.from({ length: 20 }, () => servers.newAddress());
  const pair = (n: number) => ({ cart: spread[n % 50] ?? '', address: addresses[n % 20] ?? '' });
  judge(await many.many(pick(trial.size, IN_SHOP + 20, 400), pair), IN_SHOP, 'the whole shop');
  return tried;
}

interface Place {
  cart: string;
  address: string;
}

/** Creates carts and guesses codes in one shop. */
class Guessers {
  readonly #servers: LimitedServers;
  readonly #headers: Record<string, string>;

  private constructor(servers: LimitedServers, headers: Record<string, string>) {
    this.#servers = servers;
    this.#headers = headers;
  }

  static async open({ databaseUrl }: Trial, servers: LimitedServers): Promise<Guessers> {
    const { site_id, storefront_token } = await openTenant(databaseUrl);
    return new Guessers(servers, { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token });
  }

  /** Creates a cart from a new IP address. */
  async cart(): Promise<string> {
    const address = this.#servers.newAddress();
    const { status, text } = await this.#servers.send(address, 'POST', '/api/storefront/cart', this.#headers);
    if (status !== 201) throw new Error(`A cart of the proof was refused: ${status} ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  }

  carts(many: number): Promise<string[]> {
    return Promise.all(Array.from({ length: many }, () => this.cart()));
  }

  async apply(code: string, { cart, address }: Place): Promise<number> {
    const target = `/api/storefront/cart/${cart}/discounts`;
    return (await this.#servers.send(address, 'POST', target, this.#headers, { code })).status;
  }

  /** Sends guesses concurrently. Returns their statuses. */
  many(times: number, place: (n: number) => Place): Promise<number[]> {
    return Promise.all(Array.from({ length: times }, (_, n) => this.apply(`GUESS${n}`, place(n))));
  }
}
