import { expireCheckouts } from '../../server/src/shop/checkout/expiry.ts';
import {
  answersOf,
  type Delivery,
  onlyVariantOf,
  putInCarts,
  putOnSale,
  type Stock,
  stockOf,
  takeParcels,
  takeTransfers,
} from '../testing/products-and-checkouts.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Answer, type OpenShop, onPremises, untilConnected } from '../testing/test-server.ts';
import { explain } from './linearizable.ts';
import { type History, record } from './stock-history.ts';
import {
  hold,
  move,
  type Outcome,
  ordered,
  release,
  reservedOf,
  type StockState,
  withCheckout,
} from './stock-model.ts';
import { handleOrder, hasPieces, type Pieces, piecesOf } from './stock-order-steps.ts';

/**
 * Three shoppers, the staff and the clock change the stock of two variants concurrently. The seed determines the
 * actions of each history.
 */
export const D2: Proof = {
  id: 'D2',
  promise: 'Concurrent changes of stock have the same result as one after the other.',
  run: (trial) =>
    onPremises(trial, async ({ violations, openShop }) => {
      const tried = pick(trial.size, 30, 10_000);
      const lane = async (number: number) => {
        const shop = await openShop();
        await takeTransfers(shop);
        const delivery = await takeParcels(shop);
        const chance = chanceOf(trial.seed * 1_000 + number);
        const variants = await Promise.all(
          Array.from({ length: 2 }, async () =>
            onlyVariantOf(await putOnSale(shop, { inventory_quantity: 3, requires_shipping: true })),
          ),
        );
        for (let i = number; i < tried; i += LANES) {
          const faults = await live(shop, chance, variants, delivery);
          for (const fault of faults) violations.add(`lane ${number}, history ${i}: ${fault}`);
        }
      };
      await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
      return { tried, unit: 'histories', violations: violations.list } satisfies Figures;
    }),
};

const LANES = 4;
const SHOPPERS = [0, 1, 2];

/** For each cart, the wanted quantity of both variants. */
const CONTENTS = [
  [1, 0],
  [0, 1],
  ...[
    [1, 1],
    [2, 1],
    [1, 2],
    [2, 2],
  ],
];

/** Plays one history. Returns its faults. */
async function live(shop: OpenShop, chance: Chance, variants: string[], delivery: Delivery): Promise<string[]> {
  const wanted = SHOPPERS.map(() => chance.of(CONTENTS));
  const contents = wanted.map((pieces) =>
    variants.flatMap((variant_id, at) => (pieces[at] ? [{ variant_id, quantity: pieces[at] }] : [])),
  );
  const carts = await putInCarts(shop, contents);
  const before = await stockOf(shop, variants);
  const received = before.map(({ on_hand }) => on_hand);
  const rest = { received, begun: [], opened: Promise.withResolvers<void>(), steps: [], faults: [], clock: 0 };
  const history: History = { shop, variants, delivery, carts, wanted, ...rest };
  // Gives each actor its own random source, so that their order does not matter.
  const own = () => chanceOf(chance.next() * 2 ** 32);
  const shoppers = SHOPPERS.map((at) => shopper(history, own(), at));
  await Promise.all([...shoppers, staff(history, own(), before), timekeeper(history, own())]);
  judge(history, before, await stockOf(shop, variants), await piecesOf(history));
  await tidy(history);
  return history.faults;
}

async function shopper(history: History, chance: Chance, own: number): Promise<void> {
  const { shop, begun, carts, delivery } = history;
  const plan = chance.next();
  const regrets = chance.next() < 0.4;
  const cart_id = carts[own] ?? '';
  const created = await holding(history, own, 'begins', async () => {
    const answer = await shop.ask('storefront.createCheckout', { body: { cart_id } });
    begun[own] = answer.data?.id;
    history.opened.resolve();
    return answer;
  });
  const checkout_id = created.data?.id;
  if (!checkout_id) return;
  const path = { checkout_id };
  if (plan < 0.2) return cancel(history, own, checkout_id);
  const filled = await holding(history, own, 'fills in', () =>
    shop.ask('storefront.updateCheckout', { path, body: { ...answersOf(), ...delivery } }),
  );
  if (!filled.data) return plan < 0.6 ? cancel(history, own, checkout_id) : undefined;
  if (plan < 0.3) return cancel(history, own, checkout_id);
  if (plan < 0.35) return;
  const completed = await holding(history, own, 'completes', () =>
    shop.ask('storefront.completeCheckout', { path, body: {} }),
  );
  if (!completed.data) return;
  if (!regrets) return handleOrder(history, chance, own, completed.data.order);
  const order_id = completed.data.order.id;
  await record(history, `${own} returns the order`, [own], async () => {
    const { status } = await shop.ask('dashboard.cancelOrder', { path: { order_id }, body: { reason: 'customer' } });
    return (state) => {
      const isOrdered = state.checkouts[own]?.status === 'completed' && status === 200;
      const returned = move(state, history.wanted[own] ?? [], 1);
      return isOrdered ? [withCheckout(returned, own, { status: 'returned' })] : [];
    };
  });
}

type Holding = 'storefront.createCheckout' | 'storefront.updateCheckout' | 'storefront.completeCheckout';

/** Makes a call that either reserves everything in the cart, or is rejected because stock is short. */
async function holding<Id extends Holding>(
  history: History,
  own: number,
  what: string,
  call: () => Promise<Answer<Id>>,
): Promise<Answer<Id>> {
  const wanted = history.wanted[own] ?? [];
  let answer: Answer<Id> | undefined;
  await record(history, `${own} ${what} (${wanted})`, SHOPPERS, async (step) => {
    answer = await call();
    const seen = outcomeOf(history, answer);
    step.what += `: ${JSON.stringify(seen)}`;
    return (state) => {
      const others = history.steps.filter(
        (other) => other !== step && other.began < step.ended && step.began < other.ended,
      );
      const busy = others.flatMap(({ touches }) => touches);
      const possible = hold(state, own, wanted, busy).filter(([outcome]) => isSame(outcome, seen));
      if (what !== 'completes' || !('done' in seen)) return possible.map(([, after]) => after);
      return possible.map(([, after]) =>
        withCheckout(move(release(after, own), wanted, -1), own, { status: 'completed', order: ordered(wanted) }),
      );
    };
  });
  return answer as Answer<Id>;
}

function outcomeOf<Id extends Holding>({ variants }: History, { refusal, data }: Answer<Id>): Outcome {
  if (data) return { done: true };
  if (refusal?.error !== 'insufficient_stock') return { refused: JSON.stringify(refusal) };
  const lines = (refusal.lines ?? []) as { variant_id: string; available: number }[];
  return {
    short: Object.fromEntries(lines.map(({ variant_id, available }) => [variants.indexOf(variant_id), available])),
  };
}

function isSame(one: Outcome, other: Outcome): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function cancel(history: History, own: number, checkout_id: string): Promise<void> {
  await record(history, `${own} cancels`, [own], async () => {
    const { status } = await history.shop.ask('storefront.cancelCheckout', { path: { checkout_id } });
    return (state) => {
      const isOpen = state.checkouts[own]?.status === 'open' && status === 200;
      return isOpen ? [withCheckout(release(state, own), own, { status: 'cancelled', overdue: false })] : [];
    };
  });
}

/** Staff set the stock of each variant to a few units. */
async function staff(history: History, chance: Chance, before: Stock[]): Promise<void> {
  const { shop, variants } = history;
  for (const [variant, { on_hand }] of before.entries()) {
    const delta = chance.of([0, 1, 2, 3, 4]) - on_hand;
    if (delta === 0) continue;
    await record(history, `staff counts ${delta} of ${variant}`, [], async () => {
      const path = { variant_id: variants[variant] ?? '' };
      const { data, refusal } = await shop.ask('dashboard.adjustInventory', {
        path,
        body: { delta, reason: 'correction' },
      });
      if (data) history.received[variant] = (history.received[variant] ?? 0) + delta;
      return (state) => {
        const reserved = reservedOf(state, variant);
        const after = (state.on_hand[variant] ?? 0) + delta;
        if (after < reserved) return refusal?.available === after - delta - reserved ? [state] : [];
        const added = variants.map((_, at) => (at === variant ? delta : 0));
        return data?.on_hand === after && data.reserved === reserved ? [move(state, added, 1)] : [];
      };
    });
  }
}

/** In each of two rounds, moves the end of a reservation into the past, and sometimes runs the expiry job. */
async function timekeeper(history: History, chance: Chance): Promise<void> {
  const { shop, begun } = history;
  const { owner, db } = shop.premises;
  await history.opened.promise;
  for (let round = 0; round < 2; round += 1) {
    const own = chance.of(SHOPPERS.filter((at) => begun[at] !== undefined).concat(round));
    const sweeps = chance.next() < 0.5;
    await record(history, `time passes for ${own}`, [own], async () => {
      const { rowCount } = await owner.query(
        `update commerce.checkouts set reserved_until = now() - interval '1 hour'
         where site_id = $1 and id = $2 and status in ('open', 'ready') and reserved_until is not null`,
        [shop.site_id, begun[own] ?? null],
      );
      return (state) => {
        if (rowCount === 0) return [state];
        return state.checkouts[own]?.status === 'open' ? [withCheckout(state, own, { overdue: true })] : [];
      };
    });
    if (!sweeps) continue;
    // Records one step for each checkout, because the job skips locked rows and uses a transaction for each checkout.
    const job = expireCheckouts(db, shop.tenant);
    await Promise.all(
      SHOPPERS.map((at) =>
        record(history, `the job looks at ${at}`, [at], async () => {
          await job;
          return (state) =>
            state.checkouts[at]?.overdue ? [state, withCheckout(release(state, at), at, { overdue: false })] : [state];
        }),
      ),
    );
  }
}

function judge(history: History, before: Stock[], after: Stock[], pieces: Pieces[]): void {
  const { steps, faults, received } = history;
  const start: StockState = {
    on_hand: before.map(({ on_hand }) => on_hand),
    lost: before.map(() => 0),
    checkouts: SHOPPERS.map(() => ({ status: 'none', held: before.map(() => 0), overdue: false })),
  };
  const ends = explain(steps, start);
  const matches = ends.some(
    (end) =>
      after.every(({ on_hand, reserved }, at) => end.on_hand[at] === on_hand && reservedOf(end, at) === reserved) &&
      hasPieces(end, pieces, received),
  );
  if (matches) return;
  const listed = steps.map(({ what, began, ended }) => `${began}–${ended} ${what}`).join('; ');
  const why =
    ends.length === 0
      ? 'no sequence of the calls explains the responses'
      : 'the stock does not follow from the responses';
  faults.push(`${why}: from ${JSON.stringify(start.on_hand)} to ${JSON.stringify(after)}: ${listed}`);
}

/** Ends all open checkouts. Afterwards no stock may be reserved. */
async function tidy({ shop, variants, faults }: History): Promise<void> {
  await shop.premises.owner.query(
    `update commerce.checkouts set reserved_until = now() - interval '1 hour', expires_at = now() - interval '1 hour'
     where site_id = $1 and status in ('open', 'ready')`,
    [shop.site_id],
  );
  await untilConnected(() => expireCheckouts(shop.premises.db, shop.tenant));
  const left = await stockOf(shop, variants);
  if (left.some(({ reserved }) => reserved !== 0))
    faults.push(`stock is still reserved after all carts ended: ${JSON.stringify(left)}`);
}
