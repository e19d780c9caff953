import { webhooks } from '@commerce-backend/sdk';
import { openReceiver, type Received } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick, type Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type EventPremises, onEventPremises } from './server-without-jobs.ts';

const AT_A_TIME = 5;

/** Unusual texts for the bodies: the bytes are signed, but readers may decode them differently. */
const NAMES = ['Mug', 'Tasse für “Große” – ½ l', '茶碗 🍵', 'a"b\\c</script>', 'e\u0301 👩\u200d🍳', '\u2028line'];

/**
 * The SDK verifies received deliveries with Web Crypto, before, during and after a rotation of the secret. The server signs
 * with a library.
 */
export const G3: Proof = {
  id: 'G3',
  promise:
    'Another implementation of Standard Webhooks accepts each signature, and during a rotation with both secrets.',
  run: (trial) =>
    onEventPremises(trial, { allowPrivate: true }, async (premises) => {
      const receiver = await openReceiver();
      try {
        const goal = pick(trial.size, 200, 10_000);
        const judged = await attack(premises, receiver, goal, chanceOf(trial.seed), trial.progress);
        const { violations } = premises;
        const note = `${judged.twice} of them signed by two secrets, each judged by both; ${judged.forged} forgeries refused`;
        return { tried: judged.signatures, unit: 'signatures', note, violations: violations.list } satisfies Figures;
      } finally {
        await receiver.close();
      }
    }),
};

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

async function attack(
  premises: EventPremises,
  receiver: Receiver,
  goal: number,
  chance: Chance,
  progress: (text: string) => void,
) {
  const { owner, violations } = premises;
  const judged = { signatures: 0, twice: 0, forged: 0 };
  while (judged.signatures < goal) {
    const shop = await premises.openShop();
    const { id, secret: first } = await shop.addWebhook(receiver.url, ['product.created', 'order.paid']);
    // Each delivery has two signatures during the rotation, and one signature before and after the rotation.
    const round = Math.max(1, Math.ceil(Math.min(goal - judged.signatures, 2_000) / 4));
    await judge(judged, violations, chance, [first], await deliver(premises, shop, receiver, round, chance));

    const { secret: second } = await shop.call<{ secret: string }>('POST', `/api/dashboard/webhooks/${id}/rotate`);
    await judge(judged, violations, chance, [second, first], await deliver(premises, shop, receiver, round, chance));

    await owner.query(
      `update commerce.webhooks set previous_secret_expires_at = now() where site_id = $1 and id = $2`,
      [shop.site_id, id],
    );
    const after = await deliver(premises, shop, receiver, round, chance);
    await judge(judged, violations, chance, [second], after);
    for (const received of after)
      if (await accepts(first, received))
        violations.add('A delivery is signed with a secret that was replaced 24 hours ago');
    await premises.forget(shop);
    progress(`${judged.signatures} of ${goal} signatures`);
  }
  return judged;
}

/** Triggers this many events and makes their delivery attempts. Returns the requests that the receiver got. */
async function deliver(
  premises: EventPremises,
  shop: Awaited<ReturnType<EventPremises['openShop']>>,
  receiver: Receiver,
  count: number,
  chance: Chance,
): Promise<Received[]> {
  for (let made = 0; made < Math.min(count, NAMES.length); made += 1) {
    const name = `${chance.of(NAMES)} ${made}`;
    await shop.call('POST', '/api/dashboard/products', { name, price: '1.00', status: 'active' });
  }
  const fill = count - NAMES.length;
  if (fill > 0) await moreEvents(premises, shop.site_id, fill);
  const before = receiver.received.length;
  const due = await premises.pending(shop);
  const work = async () => {
    for (let next = due.pop(); next; next = due.pop()) await premises.attempt(shop, next);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const received = receiver.received.splice(before);
  if (received.length !== count) premises.violations.add(`${received.length} of ${count} events were delivered`);
  return received;
}

/**
 * Emits many events with random texts, in the form that the database triggers use, but without the changes that would
 * cause them.
 */
async function moreEvents({ owner }: EventPremises, site_id: string, count: number): Promise<void> {
  const client = await owner.connect();
  try {
    await client.query('begin; set local search_path = commerce, public');
    await client.query(
      `select commerce.emit($1, 'order.paid', gen_random_uuid(), jsonb_build_object('id', gen_random_uuid(),
          'note', repeat(chr(33 + number % 20000), number % 500)))
        from generate_series(1, $2::int) as number`,
      [site_id, count],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function judge(
  judged: { signatures: number; twice: number; forged: number },
  violations: Violations,
  chance: Chance,
  secrets: string[],
  all: Received[],
): Promise<void> {
  for (const received of all) {
    const signatures = String(received.headers['webhook-signature']).split(' ');
    judged.signatures += signatures.length;
    if (signatures.length === 2) judged.twice += 1;
    if (signatures.length !== secrets.length) {
      violations.add(
        `${signatures.length} signatures instead of ${secrets.length}, one for each valid secret: ${received.body}`,
      );
    }
    for (const [index, secret] of secrets.entries())
      if (!(await accepts(secret, received)))
        violations.add(`The delivery does not verify with secret ${index + 1}: ${JSON.stringify(received)}`);
    for (const signature of signatures) {
      const alone = { ...received, headers: { ...received.headers, 'webhook-signature': signature } };
      const accepted = await Promise.all(secrets.map((secret) => accepts(secret, alone)));
      if (!accepted.includes(true)) violations.add(`No valid secret produces the signature ${signature}`);
    }
    // A changed body must fail the verification.
    const at = Math.floor(chance.next() * received.body.length);
    const body = `${received.body.slice(0, at)}${received.body[at] === 'x' ? 'y' : 'x'}${received.body.slice(at + 1)}`;
    if (await accepts(secrets[0] ?? '', { ...received, body }))
      violations.add(`The judge takes a forged body: ${body}`);
    else judged.forged += 1;
  }
}

async function accepts(secret: string, { headers, body }: Received): Promise<boolean> {
  try {
    await webhooks.verify(body, headers, secret);
    return true;
  } catch (error) {
    if (!(error instanceof webhooks.WebhookVerificationError)) throw error;
    // The SDK reports `invalid_payload` only after it has accepted the signature, so a forged body got through.
    return error.reason === 'invalid_payload';
  }
}
