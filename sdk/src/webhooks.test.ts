/** Compares with the npm package standardwebhooks, an independent implementation, in both directions. */

import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Schemas, type WebhookEvent, WebhookVerificationError, webhooks } from './index.ts';

const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'] as const;
const [secret, other] = secrets;
const event_id = '0192f3a3-4444-7000-8000-000000000001';
const event = {
  type: 'product.updated',
  timestamp: '2026-03-02T08:22:00.000Z',
  data: { id: event_id, slug: 'cafe-tasse', name: 'Café-Tasse ☕', status: 'active', published_at: null },
};
const body = JSON.stringify(event);

async function reasonOf(verified: Promise<unknown>): Promise<string> {
  const error = await verified.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WebhookVerificationError);
  return (error as WebhookVerificationError).reason;
}

describe('compatibility with an independent library', () => {
  test('verifies signatures of an independent library and vice versa, with random bodies and secrets', async () => {
    for (let length = 0; length < 200; length += 1) {
      const key = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(24 + (length % 41)))).toString('base64')}`;
      const name = Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('latin1');
      const text = JSON.stringify({ ...event, data: { name } });
      expect(new Webhook(key).verify(text, await webhooks.sign(text, key))).toEqual(JSON.parse(text));

      const now = new Date();
      const headers = {
        'webhook-id': event_id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(key).sign(event_id, now, text),
      };
      expect(await webhooks.verify(text, headers, key)).toEqual({ ...JSON.parse(text), event_id });
    }
  });

  test('accepts signatures with either secret while a webhook secret is rotated', async () => {
    const both = await webhooks.sign(body, secrets);
    for (const key of secrets) {
      expect(new Webhook(key).verify(body, both)).toEqual(event);
      expect(await webhooks.verify(body, both, key)).toEqual({ ...event, event_id: both['webhook-id'] });
      // While a receiver rotates its secret, it accepts both.
      expect(await webhooks.verify(body, await webhooks.sign(body, key), secrets)).toMatchObject(event);
    }
  });
});

describe('accepted input', () => {
  test('accepts bodies as bytes or text, and headers of fetch and Node in any case', async () => {
    const signed = await webhooks.sign(body, secret, { event_id });
    const bytes = new TextEncoder().encode(body);
    const upper = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]));
    for (const payload of [body, bytes, bytes.buffer, Buffer.from(body)]) {
      for (const headers of [signed, new Headers(signed), upper]) {
        expect(await webhooks.verify(payload, headers, secret)).toEqual({ ...event, event_id });
      }
    }
  });

  test('ignores signatures that are malformed or of unknown versions', async () => {
    const signed = await webhooks.sign(body, secret);
    const signature = `v1a,AAAA v1,%% v1 v2,${signed['webhook-signature'].slice(3)} ${signed['webhook-signature']}`;
    const headers = { ...signed, 'webhook-signature': signature };
    expect(await webhooks.verify(body, headers, secret)).toMatchObject(event);
  });

  test('throws a TypeError for invalid settings, instead of a verification error', async () => {
    const signed = await webhooks.sign(body, secret);
    for (const wrong of ['', 'whsec_', 'whsec_not base64!', [], [secret, '']]) {
      await expect(webhooks.verify(body, signed, wrong)).rejects.toThrow(TypeError);
      await expect(webhooks.sign(body, wrong)).rejects.toThrow(TypeError);
    }
    // @ts-expect-error A parsed body, as a framework may give it.
    await expect(webhooks.verify(event, signed, secret)).rejects.toThrow('the raw body');
  });
});

describe('rejected deliveries and their reasons', () => {
  test('rejects a delivery with a missing or empty webhook header', async () => {
    const signed = await webhooks.sign(body, secret);
    for (const name of Object.keys(signed)) {
      expect(await reasonOf(webhooks.verify(body, { ...signed, [name]: undefined }, secret))).toBe('missing_header');
      await expect(webhooks.verify(body, { ...signed, [name]: '' }, secret)).rejects.toThrow(`${name} is missing`);
    }
  });

  test('rejects a delivery that is too old or too far in the future, exact to the second', async () => {
    const at = (seconds: number) => new Date(1_772_439_720_000 + seconds * 1000);
    const signed = await webhooks.sign(body, secret, { now: at(0) });
    const verifyAt = (seconds: number, toleranceSeconds?: number) =>
      webhooks.verify(body, signed, secret, { now: at(seconds), toleranceSeconds });
    await verifyAt(300);
    await verifyAt(-300);
    await verifyAt(3600, 3600);
    expect(await reasonOf(verifyAt(301))).toBe('timestamp_too_old');
    expect(await reasonOf(verifyAt(-301))).toBe('timestamp_too_new');
    expect(await reasonOf(verifyAt(2, 1))).toBe('timestamp_too_old');
    for (const timestamp of ['soon', '1e9', '-5', '0x10', ' 12', '1772439720.5']) {
      const headers = { ...signed, 'webhook-timestamp': timestamp };
      expect(await reasonOf(webhooks.verify(body, headers, secret))).toBe('invalid_timestamp');
    }
  });

  test('rejects a delivery whose body, id, time or secret differs from the signed one', async () => {
    const signed = await webhooks.sign(body, secret);
    const later = String(Number(signed['webhook-timestamp']) + 1);
    const twice = signed['webhook-signature'];
    const bothOther = await webhooks.sign(body, [other, other]);
    const forgeries = [
      () => webhooks.verify(`${body} `, signed, secret),
      () => webhooks.verify(body, { ...signed, 'webhook-id': 'another' }, secret),
      () => webhooks.verify(body, { ...signed, 'webhook-timestamp': later }, secret),
      () => webhooks.verify(body, { ...signed, 'webhook-signature': 'v1,' }, secret),
      () => webhooks.verify(body, { ...signed, 'webhook-signature': twice.slice(0, -8) }, secret),
      () => webhooks.verify(body, { ...signed, 'webhook-id': [signed['webhook-id'], 'another'] }, secret),
      () => webhooks.verify(body, signed, other),
      () => webhooks.verify(body, bothOther, secret),
    ];
    for (const forgery of forgeries) expect(await reasonOf(forgery())).toBe('no_matching_signature');
  });

  test('rejects a signed body that is not an event', async () => {
    for (const text of [
      '',
      'null',
      '[]',
      '"text"',
      '{"type":7}',
      '{"type":"order.paid"}',
      '{"type":"x","data":null}',
    ]) {
      const signed = await webhooks.sign(text, secret);
      expect(await reasonOf(webhooks.verify(text, signed, secret))).toBe('invalid_payload');
    }
    const notText = new Uint8Array([0xff, 0xfe]);
    expect(await reasonOf(webhooks.verify(notText, await webhooks.sign(notText, secret), secret))).toBe(
      'invalid_payload',
    );
  });
});

test("verifies and parses the contract's example of every event", async () => {
  for (const { post } of Object.values(contract.webhooks)) {
    const { example } = post.requestBody.content['application/json'];
    const text = JSON.stringify(example);
    expect(await webhooks.verify(text, await webhooks.sign(text, secret, { event_id }), secret)).toEqual({
      ...example,
      event_id,
    });
  }
});

/** Never called. Compiling it is the test. */
export function typesTellEventsApart(received: WebhookEvent): void {
  switch (received.type) {
    case 'order.paid':
      expectTypeOf(received.data).toEqualTypeOf<Schemas['OrderEvent'] | Schemas['OrderEventData']>();
      break;
    case 'product.deleted':
      expectTypeOf(received).toEqualTypeOf<WebhookEvent<'product.deleted'>>();
      break;
    case 'product.created':
    case 'product.updated':
      expectTypeOf(received.data).toEqualTypeOf<Schemas['ProductEvent'] | Schemas['ProductEventData']>();
      break;
    // @ts-expect-error There is no such event.
    case 'order.lost':
      break;
    default:
      expectTypeOf(received.data).toExtend<object>();
  }
}

/** Never called. After all known types, only UnknownEvent remains. */
export function typesLeaveTheUnknown(received: WebhookEvent): string {
  if (received.type === 'webhook.ping') return received.data.webhook_id ?? 'a listener';
  // @ts-expect-error The event's type has not been checked.
  return received.data.webhook_id;
}
