import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../../server/test/stripe/faults.ts';
import { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import type { Fault } from '../testing/failpoints.ts';
import { type Figures, type Proof, pick, type Size, type Trial, Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { withDirectory } from '../testing/server-process.ts';
import { type PaidShop, PayingLane } from './payment-lane.ts';
import { canFail, Payment, RETRIES, type StepName, WAYS, type Way } from './payment-steps.ts';
import { faultIn, letTimePass } from './stripe-payments.ts';

/**
 * Pays by card with Stripe's official client. At each database response, the server and its jobs throw, exit, hang or
 * lose the database. At each call of the provider, they are killed, cut off or left without a response. Each way to pay
 * first runs without a fault, to record these places. Then each round fails at some of them.
 */
export const K1: Proof = {
  id: 'K1',
  promise:
    'Wherever the server fails during a card payment, and whatever process continues it, no money is kept without an order, and no order is paid without money.',
  run: (trial) =>
    withDirectory(async (directory) => {
      const standIn = await new StripeStandIn().listen();
      try {
        return await attack(trial, directory, standIn);
      } finally {
        await standIn.down();
      }
    }),
};

interface At {
  way: Way;
  step: number;
}

/** A database response at which to fail. */
interface AnswerPlace extends At {
  after: number;
  fault: Fault;
}

/** A call of the provider at which to fail. */
interface CallPlace extends At {
  call: number;
  kind: FaultKind;
  kills: boolean;
}

type Place = AnswerPlace | CallPlace;

const FAULTS: Fault[] = ['throw', 'exit', 'cut', 'hang'];
const KINDS: FaultKind[] = ['cut_before', 'cut_after', 'error_500', 'error_429', 'silent_before', 'silent_after'];
/** In practice a client repeats the call, or the shopper presses the button again. */
const PAY_AGAIN: StepName[] = ['again', 'anew'];
const LANES = 6;
/**
 * The number of simulated minutes, each of about a second. Enough for hanging calls to end: calls of the server
 * continue after ten seconds, calls of the provider after fifteen.
 */
const MINUTES = 25;

async function attack({ databaseUrl, size, seed }: Trial, directory: string, standIn: StripeStandIn): Promise<Figures> {
  const violations = new Violations();
  const players = await Promise.all(
    Array.from({ length: pick(size, 1, LANES) }, async (_, lane) => {
      const opened = await PayingLane.open(databaseUrl, directory, standIn);
      const automatic = await opened.openShop(databaseUrl, standIn, 'automatic');
      const manual = await opened.openShop(databaseUrl, standIn, 'manual');
      return new Player(opened, { automatic, manual }, standIn, chanceOf(seed + lane));
    }),
  );
  try {
    const places = await (players[0] as Player).findPlaces();
    for (const player of players) player.startFailing();
    const plan = planOf(places, size, chanceOf(seed));
    const tried = plan.length;
    const work = async (player: Player) => {
      for (let next = plan.pop(); next; next = plan.pop()) {
        const fault = await player.playRound(next);
        if (fault) violations.add(`seed ${seed}, ${fault}`);
      }
    };
    await Promise.all(players.map(work));
    for (const player of players) for (const fault of await player.judgeAgain()) violations.add(`at last, ${fault}`);
    const note = `${places.length} places to fail on ${WAYS.length} ways to pay, ${standIn.calls.length} calls of the provider`;
    return { tried, unit: 'payments', violations: violations.list, note };
  } finally {
    await Promise.all(players.map((player) => player.close()));
  }
}

/** Rounds of the short form for each way to pay. */
const QUICK_ROUNDS = 2;

/**
 * Returns rounds that together use each place once. The short form has some rounds for each way to pay, without places
 * that hang, because such a round takes as long as the hang, and one more round with a place that hangs.
 */
function planOf(places: Place[], size: Size, chance: Chance): Place[][] {
  const roundsOf = (way: Way, usable: Place[]) => {
    const own = usable.filter((place) => place.way === way);
    return roundsWith(chance.some(own, own.length));
  };
  if (size === 'short') {
    const hangs = (place: Place) => ('after' in place ? place.fault === 'hang' : place.kind.startsWith('silent'));
    const quick = places.filter((place) => !hangs(place));
    const rounds = WAYS.flatMap((way) => roundsOf(way, quick).slice(0, QUICK_ROUNDS));
    return [...rounds, chance.some(places.filter(hangs), 1)];
  }
  const rounds = WAYS.flatMap((way) => roundsOf(way, places));
  return chance.some(rounds, pick(size, 0, rounds.length));
}

const PER_ROUND = 3;

/** Divides places into rounds. The places of a round are at different steps. */
function roundsWith(left: Place[]): Place[][] {
  const rounds: Place[][] = [];
  for (const place of left) {
    const open = rounds.find((one) => one.length < PER_ROUND && !one.some(({ step }) => step === place.step));
    if (open) open.push(place);
    else rounds.push([place]);
  }
  return rounds;
}

class Player {
  readonly #lane: PayingLane;
  readonly #shops: Record<'automatic' | 'manual', PaidShop>;
  readonly #standIn: StripeStandIn;
  readonly #chance: Chance;
  readonly #played: { payment: Payment; history: string }[] = [];

  constructor(
    lane: PayingLane,
    shops: Record<'automatic' | 'manual', PaidShop>,
    standIn: StripeStandIn,
    chance: Chance,
  ) {
    this.#lane = lane;
    this.#shops = shops;
    this.#standIn = standIn;
    this.#chance = chance;
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  startFailing(): void {
    this.#lane.startFailing();
  }

  /**
   * Runs each way without a fault, to find the places where each step can fail. Throws if a way does not end as it
   * should.
   */
  async findPlaces(): Promise<Place[]> {
    const places: Place[] = [];
    for (const way of WAYS) {
      const payment = await this.#begin(way, true);
      for (const [step, name] of way.steps.entries()) {
        const process = payment.processOf(name);
        await process.arm({ after: 0, fault: 'throw' });
        const before = this.#standIn.calls.length;
        await payment.do(name);
        if (!canFail(name)) continue;
        places.push(...placesOf({ way, step }, await process.answers(), this.#standIn.calls.length - before));
      }
      const outcome = await payment.outcome();
      const fault = await this.#settled(payment);
      if (outcome !== way.ends || fault)
        throw new Error(`Without a fault, "${way.name}" ends as ${outcome}. ${fault ?? ''}`);
    }
    return places;
  }

  #begin(way: Way, approved: boolean): Promise<Payment> {
    return Payment.begin(this.#lane, this.#shops[way.capture], { way, approved, chance: this.#chance });
  }

  /**
   * Pays one checkout while the server and the provider fail. Afterwards lets time pass until everything is settled.
   * Returns the fault, if any.
   */
  async playRound(places: Place[]): Promise<string | undefined> {
    const chance = this.#chance;
    const { way } = places[0] as Place;
    const payment = await this.#begin(way, chance.next() < 0.8);
    const log = [`${way.name}:`];
    for (const [i, step] of way.steps.entries()) {
      const failing = places.filter((place) => place.step === i);
      await this.#play(payment, step, failing, log);
      // A caller who got no response often retries, and others may continue the payment.
      const retries = chance.next() < 0.5 ? chance.some(RETRIES, 2) : [];
      if (failing.length > 0 && chance.next() < 0.8) retries.unshift(step === 'pay' ? chance.of(PAY_AGAIN) : step);
      for (const retry of retries) await this.#play(payment, retry, [], log);
    }
    const fault = await this.#settled(payment);
    this.#played.push({ payment, history: log.join(' ') });
    return fault && `${log.join(' ')}: ${fault}`;
  }

  async #play(payment: Payment, step: StepName, places: Place[], log: string[]): Promise<void> {
    const process = payment.processOf(step);
    for (const place of places) {
      if ('after' in place) await process.arm(place);
      else this.#failCall(payment, place, () => process.kill());
    }
    const together = this.#chance.next() < 0.2 ? this.#chance.of(RETRIES) : undefined;
    const done = [payment.do(step), together && payment.do(together)];
    await Promise.all(done.map((one) => Promise.resolve(one).catch(() => undefined)));
    if (places.length > 0) {
      this.#standIn.faults.clear(payment.shop.endpoint.account);
      await process.restore();
    }
    const failures = places.map((place) =>
      'after' in place
        ? `${place.fault} after answer ${place.after}`
        : `${place.kind}${place.kills ? ' and kill' : ''} at call ${place.call}`,
    );
    log.push(`${step}${together ? ` with ${together}` : ''}${failures.length > 0 ? ` (${failures.join(', ')})` : ''},`);
  }

  #failCall({ shop }: Payment, { call, kind, kills }: CallPlace, kill: () => void): void {
    const options = { skip: call - 1, account: shop.endpoint.account, ...(kills && { also: kill }) };
    this.#standIn.faults.add(kind, /./, 1, options);
  }

  /**
   * Lets time pass and sends lost messages again until the state is correct. Returns the fault if the state never
   * becomes correct.
   */
  async #settled(payment: Payment): Promise<string | undefined> {
    const { books } = payment.shop;
    for (let minute = 0; minute < MINUTES; minute += 1) {
      if (minute > 0 || (await faultIn(books, payment.checkout_id))) {
        await letTimePass(books);
        // A step that fails here is retried a minute later.
        for (const step of ['human', 'webhooks', 'settle', 'moves'] as const) {
          await payment.do(step).catch(() => undefined);
        }
      }
      if (minute > 0 && !(await faultIn(books, payment.checkout_id))) return undefined;
      if (minute > 2) await sleep(1_000);
    }
    return faultIn(books, payment.checkout_id);
  }

  /**
   * Checks all payments again, because calls that hung at the end of a round have continued since, and must have
   * changed nothing.
   */
  async judgeAgain(): Promise<string[]> {
    const faults: string[] = [];
    for (const { payment, history } of this.#played) {
      const found = await faultIn(payment.shop.books, payment.checkout_id);
      const fault = found && (await this.#settled(payment));
      if (fault) faults.push(`${history}: ${fault}`);
    }
    return faults;
  }
}

function placesOf(at: At, answers: number, calls: number): Place[] {
  const places: Place[] = [];
  for (let after = 1; after <= answers; after += 1) for (const fault of FAULTS) places.push({ ...at, after, fault });
  for (let call = 1; call <= calls; call += 1) {
    for (const kind of KINDS) places.push({ ...at, call, kind, kills: false });
    for (const kind of ['cut_before', 'cut_after'] as const) places.push({ ...at, call, kind, kills: true });
  }
  return places;
}
