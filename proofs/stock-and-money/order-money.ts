import { decimal } from '../../server/src/shop/money.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type OpenShop, onPremises } from '../testing/test-server.ts';
import { Ledger } from './money-ledger.ts';
import { type History, STEPS, settleOne } from './money-steps.ts';
import { insertOrder } from './random-orders.ts';

/**
 * Plays random histories of orders: staff act over HTTP, and the provider reports refunds and disputes. The amounts of
 * each order must equal those of a ledger that computes them from the steps.
 */
export const D11: Proof = {
  id: 'D11',
  promise:
    'After refunds, returns, disputes and cancellations, the money of an order adds up: no amount is lost or paid twice.',
  run: (trial) =>
    onPremises(trial, async (premises) => {
      const wanted = pick(trial.size, 80, 20_000);
      const shops: Pick<History, 'shop' | 'product'>[] = [];
      for (const currency of ['EUR', 'JPY', 'KWD']) {
        const shop = await premises.openShop({ currency });
        shops.push({ shop, product: await makeProduct(shop) });
      }
      let begun = 0;
      const player = async () => {
        while (begun < wanted) {
          const number = begun;
          begun += 1;
          const played = shops[number % shops.length] as (typeof shops)[number];
          await play(played, number, chanceOf(trial.seed * 1_000_003 + number));
        }
      };
      await Promise.all(Array.from({ length: 4 }, player));
      const ids = shops.map(({ shop }) => shop.site_id);
      await premises.owner.query(`delete from graphile_worker._private_jobs where payload ->> 'site_id' = any($1)`, [
        ids,
      ]);
      const note = 'currencies of 0, 2 and 3 digits, tax added and included, with and without codes';
      return { tried: wanted, unit: 'histories', violations: premises.violations.list, note } satisfies Figures;
    }),
};

/** Creates a product without stock tracking, at a price that uses all digits of the currency. */
async function makeProduct(shop: OpenShop): Promise<History['product']> {
  const price = 1_237;
  const { variants } = await shop.must('dashboard.createProduct', {
    body: { name: 'Lid', price: decimal(price, shop.tenant.currency_digits), track_inventory: false, status: 'active' },
  });
  return { variant_id: variants[0]?.id ?? '', price };
}

async function play(
  { shop, product }: Pick<History, 'shop' | 'product'>,
  number: number,
  chance: Chance,
): Promise<void> {
  const order = await insertOrder(shop, chance, chance.of([true, false]));
  const names: string[] = [];
  const history: History = {
    ...{ shop, chance, product, ledger: new Ledger(order), returns: [] },
    money: (minor) => decimal(minor, shop.tenant.currency_digits),
    fault: (text) =>
      shop.premises.violations.add(
        `history ${number} (${order.method}: ${names.join(', ')}): ${text}, order ${order.id}`,
      ),
  };
  for (let step = 8 + Math.floor(chance.next() * 12); step > 0; step -= 1) {
    const [name, act] = chance.of(STEPS);
    names.push(name);
    await act(history);
    if (chance.next() < 0.4) await compare(history);
  }
  for (const refund of history.ledger.refunds.filter(({ status }) => status === 'pending')) {
    names.push('the rest');
    await settleOne(history, refund, 'succeeded');
  }
  await compare(history);
}

async function compare({ shop, ledger, money, fault }: History): Promise<void> {
  const order = await shop.must('dashboard.getOrder', { path: { order_id: ledger.order.id } });
  const expected = {
    amount_received: ledger.received,
    refunded: ledger.done,
    refundable: ledger.refundable,
    refund_due: ledger.refundDue,
    amount_due: ledger.amountDue,
  };
  for (const [name, minor] of Object.entries(expected)) {
    const shown = order[name as keyof typeof expected];
    if (shown !== money(minor)) fault(`expected ${name} ${money(minor)}, got ${shown}`);
  }
  if ((order.status === 'cancelled') !== ledger.isCancelled) fault(`the status is ${order.status}`);
  for (const { reference, status } of ledger.disputes) {
    const shown = order.disputes.find(({ provider_reference }) => provider_reference === reference)?.status;
    if (shown !== status) fault(`expected dispute ${reference} to be ${status}, got ${shown}`);
  }
  const left = ledger.received - ledger.done - ledger.disputed;
  const { charged } = ledger;
  if (charged < 0 || left !== charged - ledger.amountDue + ledger.refundDue) {
    fault(`received less paid back is ${left}, charged ${charged}, due ${ledger.amountDue}, owed ${ledger.refundDue}`);
  }
  if (ledger.live + ledger.disputed > ledger.received) fault('more was paid back than received');
}
