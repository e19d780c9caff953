import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const ACCOUNT = examples.PaymentAccount.value;
const NONE = examples.NoPaymentAccount.value;
const PATH = '/api/dashboard/payment-account';

test('shows the payment account with its webhook URL, or explains how to set one up', async () => {
  let body = ACCOUNT;
  const server = await fakeServer({ [`GET ${PATH}`]: () => ({ body }) });
  const { commerce } = await loggedIn(server.url);
  const { out } = await commerce(['payments', 'show']);
  expect(out).toContain('stripe, live');
  expect(out).toContain(ACCOUNT.webhook_url);
  body = NONE;
  expect((await commerce(['payments', 'show'])).out).toContain('commerce payments set secret-key');
});

test('reads the keys of the payment provider from standard input, never from the command line', async () => {
  const server = await fakeServer({ [`PATCH ${PATH}`]: { body: ACCOUNT } });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['payments', 'set', 'secret-key'], { input: 'sk_test_alder\n' })).code).toBe(0);
  await commerce(['payments', 'set', 'webhook-secret'], { input: 'whsec_alder' });
  await commerce(['payments', 'capture', 'manual']);
  expect(server.seen.map(({ body }) => body)).toEqual([
    { secret_key: 'sk_test_alder' },
    { webhook_secret: 'whsec_alder' },
    { capture: 'manual' },
  ]);
  for (const args of [
    ['set', 'publishable-key'],
    ['set', 'secret-key', 'sk_test_alder'],
    ['capture', 'later'],
  ]) {
    expect((await commerce(['payments', ...args])).code).toBe(2);
  }
});

test('removes the payment account', async () => {
  const server = await fakeServer({ [`DELETE ${PATH}`]: { body: NONE } });
  const { commerce } = await loggedIn(server.url);
  expect((await commerce(['payments', 'remove', '--yes'])).out).toContain('no payment account');
});
