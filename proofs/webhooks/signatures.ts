import { webhooks } from '@commerce-backend/sdk';
import { openReceiver, type Received } from '../../server/test/receiver.ts';
import { type Figures, type Proof, pick, type Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import type { EventShop } from '../testing/webhook-shop.ts';
import { type EventPremises, onEventPremises } from './server-without-jobs.ts';

const AT_A_TIME = 5;

/** Unusual texts for the bodies: the bytes are signed, but readers may decode them differently. */
const NAMES = ['Mug', 'Tasse für “Große” – ½ l', '茶碗 🍵', 'a"b\\c</script>', 'e\u0301 👩\u200d🍳', '\u2028line'];

/**
 * The SDK verifies received deliveries with Web Crypto, before, during and after a rotation of the secret. The server
 * signs with a library.
 */
export const G3: Proof = {
  id: 'G3',
  promise:
    'Another implementation of Standard Webhooks accepts each signature, and during a rotation with both secrets.',
  run: (trial) =>
    onEventPremises(trial, { allowPrivate: true }, async (premises) => {
      const receiver = await openReceiver();
      const chance = chanceOf(trial.seed);
      const [rounds, events] = pick(trial.size, [1, 15], [5, 500]);
      try {
        for (let round = 0; round < rounds; round += 1) await rotate(premises, receiver, events, chance);
      } finally {
        await receiver.close();
      }
      const { list } = premises.violations;
      return { tried: rounds * events * 4, unit: 'signatures', violations: list } satisfies Figures;
    }),
};

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** Delivers events before, during and after a rotation. Each delivery has one signature, or two during the rotation. */
async function rotate(premises: EventPremises, receiver: Receiver, events: number, chance: Chance): Promise<void> {
  const { owner, violations } = premises;
  const shop = await premises.openShop();
  const next = () => deliver(premises, shop, receiver, events, chance);
  const { id, secret: first } = await shop.addWebhook(receiver.url, ['product.created']);
  await judge(violations, chance, [first], await next());

  const { secret: second } = await shop.call<{ secret: string }>('POST', `/api/dashboard/webhooks/${id}/rotate`);
  await judge(violations, chance, [second, first], await next());

  await owner.query(`update commerce.webhooks set previous_secret_expires_at = now() where site_id = $1 and id = $2`, [
    shop.site_id,
    id,
  ]);
  const after = await next();
  await judge(violations, chance, [second], after);
  for (const received of after)
    if (await accepts(first, received))
      violations.add('A delivery is signed with a secret that was replaced 24 hours ago');
  await premises.forget(shop);
}

/** Causes this many events and makes their delivery attempts. Returns the requests that the receiver got. */
async function deliver(
  premises: EventPremises,
  shop: EventShop,
  receiver: Receiver,
  count: number,
  chance: Chance,
): Promise<Received[]> {
  for (let made = 0; made < count; made += 1) {
    const name = `${chance.of(NAMES)} ${made}`;
    await shop.call('POST', '/api/dashboard/products', { name, price: '1.00', status: 'active' });
  }
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

async function judge(violations: Violations, chance: Chance, secrets: string[], all: Received[]): Promise<void> {
  for (const received of all) {
    const signatures = String(received.headers['webhook-signature']).split(' ');
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
    const at = Math.floor(chance.next() * received.body.length);
    const body = `${received.body.slice(0, at)}${received.body[at] === 'x' ? 'y' : 'x'}${received.body.slice(at + 1)}`;
    if (await accepts(secrets[0] ?? '', { ...received, body })) violations.add(`A changed body verifies: ${body}`);
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
