import { waitAfter } from '../../server/src/shop/webhooks/attempts.ts';
import { openReceiver } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { type BadReceiver, badReceivers, openEndless } from './faulty-receivers.ts';
import { type EventPremises, onEventPremises } from './server-without-jobs.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** The waits between attempts in seconds, as documented in docs/webhooks.md. */
const WAITS = [5, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
const ATTEMPTS = WAITS.length + 1;
const TOLERANCE = 0.1;
/** HTTP dates have whole seconds, so a wait from Retry-After may be rounded. */
const ROUNDING_SECONDS = 2;

/** Tries each faulty receiver until the delivery has failed for good. The time between the attempts is skipped. */
export const G2: Proof = {
  id: 'G2',
  promise:
    'Webhook attempts follow the schedule whatever a receiver does, the tenth is the last, and the webhook of a dead receiver is disabled.',
  run: (trial) =>
    onEventPremises(trial, { allowPrivate: true }, async (premises) => {
      const elsewhere = await openReceiver();
      try {
        const all = badReceivers(elsewhere.url);
        const [slow, quick] = [all.filter((one) => one.slow), all.filter((one) => !one.slow)];
        const inTurn = chanceOf(trial.seed).some(quick, pick(trial.size, 10, quick.length));
        const together = trial.size === 'full' ? slow : [];
        await Promise.all([inTurn, ...together.map((one) => [one])].map((some) => giveUpAll(premises, some)));
        const { violations } = premises;
        if (elsewhere.received.length > 0) violations.add(`${elsewhere.received.length} redirects were followed`);
        for (const judge of [judgeGone, judgeDead, judgeAlive, judgeEndless]) await judge(premises);
        judgeWaits(premises, pick(trial.size, 1_000, 100_000));
        const tried = (inTurn.length + together.length) * ATTEMPTS;
        return { tried, unit: 'attempts', violations: violations.list } satisfies Figures;
      } finally {
        await elsewhere.close();
      }
    }),
};

interface Scene {
  shop: EventShop;
  webhook_id: string;
  delivery_id: string;
}

/** Registers a webhook with this URL, triggers an event for it, and runs `work` with the pending delivery. */
async function withDue<T>(premises: EventPremises, url: string, work: (scene: Scene) => Promise<T>): Promise<T> {
  const shop = await premises.openShop();
  const { id: webhook_id } = await shop.addWebhook(url, ['order.paid']);
  await shop.call('POST', '/api/dashboard/events/trigger', { type: 'order.paid' });
  const [delivery_id = ''] = await premises.pending(shop);
  try {
    return await work({ shop, webhook_id, delivery_id });
  } finally {
    await premises.forget(shop);
  }
}

interface Attempt {
  status: string;
  attempts_count: number;
  outcome: string;
  response_status: number | null;
  /** The seconds until the next attempt; null if there is none. */
  wait: number | null;
  /** The same wait according to the job in the queue. */
  queued: number | null;
  webhook: string;
  disabled_reason: string | null;
  mails: number;
}

/** Makes an attempt. Returns the rows that the server wrote about it. */
async function attempt(premises: EventPremises, { shop, webhook_id, delivery_id }: Scene): Promise<Attempt> {
  // Removes the job, as the worker does after it ran.
  await premises.owner.query(`delete from graphile_worker._private_jobs where payload ->> 'delivery_id' = $1`, [
    delivery_id,
  ]);
  await premises.attempt(shop, delivery_id);
  const { rows } = await premises.owner.query<Attempt>(
    `select d.status, d.attempts_count, a.outcome, a.response_status,
        extract(epoch from d.next_attempt_at - a.ended_at)::float8 as wait,
        (select extract(epoch from run_at - a.ended_at)::float8 from graphile_worker._private_jobs
          where payload ->> 'delivery_id' = d.id::text) as queued,
        w.status as webhook, w.disabled_reason,
        (select count(*)::int from graphile_worker._private_jobs
          where payload ->> 'site_id' = d.site_id::text and payload ->> 'template' = 'webhook_disabled') as mails
      from commerce.webhook_deliveries d
      join commerce.webhooks w on w.site_id = d.site_id and w.id = d.webhook_id
      join lateral (select *, attempted_at + duration_ms * interval '1 millisecond' as ended_at
        from commerce.webhook_attempts a where a.site_id = d.site_id and a.delivery_id = d.id
        order by number desc limit 1) a on true
      where d.site_id = $1 and d.webhook_id = $2 and d.id = $3`,
    [shop.site_id, webhook_id, delivery_id],
  );
  if (!rows[0]) throw new Error('The attempt was not written down.');
  return rows[0];
}

async function giveUpAll(premises: EventPremises, receivers: BadReceiver[]): Promise<void> {
  for (const receiver of receivers) await giveUp(premises, receiver);
}

/** Makes attempts until the delivery has failed for good, and checks each attempt. */
async function giveUp(premises: EventPremises, receiver: BadReceiver): Promise<void> {
  const { violations } = premises;
  const { url, close } = await receiver.open();
  const broken = (number: number, made: Attempt) =>
    violations.add(
      `${receiver.name}, attempt ${number}: expected ${receiver.outcome} and the next attempt on schedule, got ${JSON.stringify(made)}`,
    );
  try {
    await withDue(premises, url, async (scene) => {
      for (let number = 1; number <= ATTEMPTS; number += 1) {
        const made = await attempt(premises, scene);
        const last = number === ATTEMPTS;
        const recorded =
          made.outcome === receiver.outcome &&
          made.response_status === receiver.status &&
          made.attempts_count === number &&
          made.status === (last ? 'failed' : 'pending') &&
          made.webhook === 'active' &&
          made.mails === 0;
        if (!recorded || !keepsTo(number, receiver.asks ?? 0, made)) broken(number, made);
      }
      await premises.attempt(scene.shop, scene.delivery_id);
      const { rowCount } = await premises.owner.query(
        'select from commerce.webhook_attempts where site_id = $1 and delivery_id = $2',
        [scene.shop.site_id, scene.delivery_id],
      );
      if (rowCount !== ATTEMPTS) violations.add(`${receiver.name}: ${rowCount} attempts instead of ${ATTEMPTS}`);
    });
  } finally {
    await close();
  }
}

/** Whether the wait for the next attempt is within a tenth of the schedule, or longer because of Retry-After. */
function keepsTo(number: number, asks: number, { wait, queued }: Attempt): boolean {
  const due = WAITS[number - 1];
  if (due === undefined) return wait === null && queued === null;
  if (wait === null || queued === null || Math.abs(wait - queued) > 1) return false;
  const least = Math.max(due * (1 - TOLERANCE), asks - ROUNDING_SECONDS);
  const most = Math.max(due * (1 + TOLERANCE), asks + ROUNDING_SECONDS);
  return wait >= least - 0.01 && wait <= most + 0.01;
}

async function withReceiver(status: number, work: (url: string) => Promise<void>): Promise<void> {
  const receiver = await openReceiver(() => status);
  await work(receiver.url).finally(receiver.close);
}

/** Changes the webhook as if it had been failing for this many hours, with only the last attempt left. */
async function age({ owner }: EventPremises, { shop, webhook_id, delivery_id }: Scene, hours: number): Promise<void> {
  await owner.query(
    `update commerce.webhooks set failing_since = now() - $3 * interval '1 hour' where site_id = $1 and id = $2`,
    [shop.site_id, webhook_id, hours],
  );
  await owner.query('update commerce.webhook_deliveries set tries = $3 where site_id = $1 and id = $2', [
    shop.site_id,
    delivery_id,
    ATTEMPTS - 1,
  ]);
}

function judgeGone(premises: EventPremises): Promise<void> {
  return withReceiver(410, (url) =>
    withDue(premises, url, async (scene) => {
      const made = await attempt(premises, scene);
      const ended = made.status === 'failed' && made.disabled_reason === 'gone' && made.wait === null;
      if (!ended || made.mails !== 1)
        premises.violations.add(`after a 410: expected a disabled webhook and one mail, got ${JSON.stringify(made)}`);
    }),
  );
}

/**
 * A webhook is disabled, and staff get a mail, when a delivery has failed for good after five days without success. One
 * hour earlier neither happens.
 */
function judgeDead(premises: EventPremises): Promise<void> {
  return withReceiver(500, async (url) => {
    for (const [hours, reason, mails] of [
      [119, null, 0],
      [121, 'failing', 1],
    ] as const) {
      await withDue(premises, url, async (scene) => {
        await age(premises, scene, hours);
        const made = await attempt(premises, scene);
        if (made.status !== 'failed' || made.disabled_reason !== reason || made.mails !== mails)
          premises.violations.add(
            `a receiver that fails for ${hours} h: expected failed, ${reason} and ${mails} mails, got ${JSON.stringify(made)}`,
          );
      });
    }
  });
}

/** After one successful delivery, the five days start again. */
function judgeAlive(premises: EventPremises): Promise<void> {
  return withReceiver(204, (url) =>
    withDue(premises, url, async (scene) => {
      await age(premises, scene, 200);
      const made = await attempt(premises, scene);
      const { rows } = await premises.owner.query<{ failing_since: Date | null }>(
        'select failing_since from commerce.webhooks where site_id = $1 and id = $2',
        [scene.shop.site_id, scene.webhook_id],
      );
      if (made.status !== 'succeeded' || made.webhook !== 'active' || rows[0]?.failing_since !== null)
        premises.violations.add(
          `a receiver that recovers with 204 after 200 h: expected succeeded and active, got ${JSON.stringify(made)}`,
        );
    }),
  );
}

/** A success status counts even if the body of the response never ends. */
async function judgeEndless(premises: EventPremises): Promise<void> {
  const receiver = await openEndless(202);
  await withDue(premises, receiver.url, async (scene) => {
    const made = await attempt(premises, scene);
    if (made.status !== 'succeeded')
      premises.violations.add(
        `a response of 202 whose body never ends: expected succeeded, got ${JSON.stringify(made)}`,
      );
  }).finally(receiver.close);
}

/** Computes many waits for each attempt. All must be within a tenth of the schedule, and spread over that range. */
function judgeWaits({ violations }: EventPremises, times: number): void {
  for (const [index, due] of WAITS.entries()) {
    const drawn = Array.from({ length: times }, () => (waitAfter(index + 1, null) ?? 0) / due);
    const [least, most] = [Math.min(...drawn.slice(0, 50_000)), Math.max(...drawn.slice(0, 50_000))];
    if (drawn.some((part) => part < 1 - TOLERANCE - 1e-9 || part > 1 + TOLERANCE + 1e-9))
      violations.add(`Waits of ${due} s are from ${least} to ${most} of that`);
    if (least > 1 - TOLERANCE / 2 || most < 1 + TOLERANCE / 2) violations.add(`Waits of ${due} s are not spread`);
  }
}
