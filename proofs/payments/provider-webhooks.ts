import { setTimeout as pause } from 'node:timers/promises';
import type { StripeEvent } from '../../server/test/stripe/objects.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { post, sendEvent, signed } from '../../server/test/stripe/webhooks.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { Premises } from '../testing/test-server.ts';
import { cardCheckouts, onStripePremises, openStripeShop, pageOf, type StripeShop } from './stripe-shops.ts';

/**
 * Sends genuine and forged webhooks of the payment provider, repeatedly and in random order, mixed with webhooks of
 * another shop.
 */
export const K2: Proof = {
  id: 'K2',
  promise:
    "A provider's webhook has an effect once, and only if the provider signed it for this shop; each payment ends in the provider's state.",
  run: (trial) =>
    onStripePremises(trial, async (premises, standIn) => {
      const shops = [await openStripeShop(premises, standIn), await openStripeShop(premises, standIn)] as const;
      const scene: Scene = { premises, standIn, chance: chanceOf(trial.seed), shops, sent: 0 };
      const rounds = pick(trial.size, 3, 40);
      for (let round = 1; round <= rounds; round += 1) await playRound(scene, round);
      return { tried: scene.sent, unit: 'webhooks', violations: premises.violations.list } satisfies Figures;
    }),
};

interface Scene {
  premises: Premises;
  standIn: StripeStandIn;
  chance: Chance;
  shops: readonly [StripeShop, StripeShop];
  sent: number;
}

/** The ways in which a payment ends at Stripe. With `otherAmount`, the amount charged differs from the one agreed. */
const ENDS = ['pay', 'decline', 'bank', 'abandon', 'otherAmount'] as const;

async function playRound(scene: Scene, round: number): Promise<void> {
  const { standIn, chance, shops, premises } = scene;
  const [shop, neighbour] = shops;
  const before = standIn.ledger.events.length;
  const ends = new Map<string, (typeof ENDS)[number]>();
  for (const end of ENDS) {
    const [checkout_id = ''] = await cardCheckouts(shop, 1);
    ends.set(checkout_id, end);
    await act(standIn, await pageOf(shop, checkout_id), end);
  }
  const events = standIn.ledger.events.slice(before).filter(({ owner }) => owner === shop.endpoint.account);
  const calls = events.flatMap((event) => webhooksOf(event, shop, neighbour, chance));
  const answers = await Promise.all(chance.some(calls, calls.length).map((call) => call()));
  scene.sent += answers.length;
  for (const { what, status, wanted } of answers) {
    if (status !== wanted) premises.violations.add(`round ${round}, ${what}: expected ${wanted}, got ${status}`);
  }
  for (const [checkout_id, end] of ends) await judge(scene, round, checkout_id, end);
}

async function act(standIn: StripeStandIn, url: string, end: (typeof ENDS)[number]): Promise<void> {
  if (end === 'abandon') return;
  if (end === 'decline') await standIn.press(url, 'decline');
  else if (end === 'bank') {
    const bank = await standIn.press(url, 'three_d_secure');
    await standIn.press(bank ?? '', 'confirm');
  } else if (end === 'otherAmount') {
    const session = standIn.ledger.session(url.split('/').at(-1) ?? '');
    session.amount_total -= 1;
    await standIn.press(url, 'pay');
  } else {
    await standIn.press(url, 'decline');
    await standIn.press(url, 'pay');
  }
}

interface Sent {
  what: string;
  status: number;
  wanted: number;
}

/** Sends the webhook again after a 503, as Stripe does. */
async function untilServed(send: () => Promise<number>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const status = await send();
    if (status !== 503 || attempt === 50) return status;
    await pause(100 * attempt);
  }
}

/** Builds requests that send the event unchanged several times, and in forms that must be rejected or ignored. */
function webhooksOf(event: StripeEvent, { endpoint }: StripeShop, neighbour: StripeShop, chance: Chance) {
  const send = (what: string, wanted: number, status: () => Promise<number>) => async (): Promise<Sent> => ({
    what: `${event.type} ${what}`,
    status: await untilServed(status),
    wanted,
  });
  const { body, signature } = signed(event, endpoint);
  const paid = body.replace('"requires_payment_method"', '"succeeded"').replace(':1000', ':1');
  const foreign = { ...endpoint, url: neighbour.endpoint.url };
  const lie = { ...event, id: `${event.id}lie`, type: 'payment_intent.succeeded' };
  const { data } = event;
  const unknown = {
    ...event,
    id: `${event.id}other`,
    owner: 'acct_of_nobody',
    data: { object: { ...data.object, id: 'pi_x' } },
  };
  return [
    ...Array.from({ length: chance.of([2, 4, 64]) }, () =>
      send('as it is', 200, () => post(endpoint.url, body, signature)),
    ),
    send('of another type', 200, () => sendEvent(lie, endpoint)),
    // An event of an unknown connected account must be ignored, because a look-up of its object in the shop's own
    // account would fail.
    send('of another account of the platform', 200, () => sendEvent(unknown, { ...endpoint, connected: true })),
    send('forged', 400, () => sendEvent(event, { ...endpoint, secret: 'whsec_of_nobody' })),
    send('signed by the neighbour', 400, () => sendEvent(event, { ...endpoint, secret: neighbour.endpoint.secret })),
    send('old', 400, () => sendEvent(event, endpoint, Date.now() - 301_000)),
    send('changed', 400, () => post(endpoint.url, `${paid} `, signature)),
    send('unsigned', 400, () => post(endpoint.url, body)),
    send('sent to the neighbour', 400, () => sendEvent(event, foreign)),
    send('signed for the neighbour', 200, () => sendEvent(event, neighbour.endpoint)),
  ];
}

async function judge(
  { premises, shops }: Scene,
  round: number,
  checkout_id: string,
  end: (typeof ENDS)[number],
): Promise<void> {
  const { rows } = await premises.owner.query<{ orders: number; confirmed: number; paid: number; status: string }>(
    `select count(distinct o.id)::int as orders, count(e.id) filter (where e.type = 'payment_confirmed')::int as confirmed,
       count(distinct o.id) filter (where o.payment_status = 'paid')::int as paid, min(p.status) as status
     from commerce.payments p
     left join commerce.orders o on o.site_id = p.site_id and o.checkout_id = p.checkout_id
     left join commerce.order_events e on e.site_id = o.site_id and e.order_id = o.id
     where p.site_id = $1 and p.checkout_id = $2`,
    [shops[0].shop.site_id, checkout_id],
  );
  const found = JSON.stringify(rows[0]);
  const once = JSON.stringify({ orders: 1, confirmed: 1, paid: 1, status: 'succeeded' });
  const none = (status: string) => JSON.stringify({ orders: 0, confirmed: 0, paid: 0, status });
  const wanted = end === 'pay' || end === 'bank' ? once : none(end === 'otherAmount' ? 'abandoned' : 'requires_action');
  if (found !== wanted)
    premises.violations.add(`round ${round}, a payment that ends with ${end}: expected ${wanted}, found ${found}`);
}
