import { afterAll, expect, test } from 'vitest';
import { SECRET_KEY } from '../../test/server.ts';
import { openStripe } from '../../test/stripe/shop.ts';
import { openKey } from '../shop/payments/accounts/sealed-keys.ts';

const stripe = await openStripe();
const { server } = stripe;
afterAll(() => stripe.close());

const PATH = '/api/dashboard/payment-account';

test('stores the keys of a payment account encrypted, and does not return them', async () => {
  const shop = await stripe.givenShop();
  const { data } = await shop.dashboard.GET(PATH);
  expect(data).toMatchObject({
    provider: 'stripe',
    kind: 'own',
    mode: 'test',
    webhook_secret_set: true,
    capture: 'automatic',
  });
  expect(data?.webhook_url).toBe(`http://localhost/webhooks/stripe/${shop.site_id}`);
  expect(JSON.stringify(data)).not.toMatch(/sk_test|whsec/);
  const { rows } = await server.owner.query<{ secret_key: Buffer }>(
    'select secret_key from commerce.payment_accounts where site_id = $1',
    [shop.site_id],
  );
  const sealed = rows[0]?.secret_key ?? Buffer.alloc(0);
  expect(sealed.includes('sk_test')).toBe(false);
  expect(openKey(SECRET_KEY, shop.site_id, 'secret_key', sealed)).toMatch(/^sk_test_shop/);
});

test('reports an API key that Stripe rejects, and does not send a malformed key to Stripe', async () => {
  const shop = await stripe.givenShop();
  const wrong = await shop.dashboard.PATCH(PATH, { body: { secret_key: 'sk_test_wrong' } });
  expect(wrong.error).toMatchObject({ detail: [{ loc: ['body', 'secret_key'] }] });
  const calls = stripe.standIn.calls.length;
  const publishable = await shop.dashboard.PATCH(PATH, { body: { secret_key: 'pk_test_alder' } });
  expect(publishable.response.status).toBe(422);
  expect(stripe.standIn.calls).toHaveLength(calls);
});

test('the capture setting can change without keys, but a webhook secret is rejected without a payment account', async () => {
  const shop = await stripe.givenShop();
  expect((await shop.dashboard.PATCH(PATH, { body: { capture: 'manual' } })).data).toMatchObject({
    capture: 'manual',
    webhook_secret_set: true,
  });
  await shop.dashboard.DELETE(PATH);
  expect((await shop.dashboard.GET(PATH)).data).toMatchObject({ provider: null, mode: null, capture: 'manual' });
  const { error } = await shop.dashboard.PATCH(PATH, { body: { webhook_secret: 'whsec_abc' } });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'secret_key'] }] });
  expect((await shop.dashboard.DELETE(PATH)).response.status).toBe(404);
});

test('a payment account cannot be removed while one of its payments is open', async () => {
  const shop = await stripe.givenShop();
  await shop.givenPage();
  expect((await shop.dashboard.DELETE(PATH)).error).toMatchObject({ error: 'payment_account_in_use' });
  const other = await shop.dashboard.PATCH(PATH, { body: { secret_key: 'sk_test_other' } });
  expect(other.error).toMatchObject({ error: 'payment_account_in_use' });
  const renewed = await shop.dashboard.PATCH(PATH, { body: { secret_key: shop.account.replace('acct', 'rk_test') } });
  expect(renewed.data).toMatchObject({ mode: 'test' });
  const live = await shop.dashboard.PATCH(PATH, { body: { secret_key: 'sk_live_alder' } });
  expect(live.error).toBeDefined();
});

test('a refund of an order paid through a previous account fails, and does not block a new account', async () => {
  const shop = await stripe.givenShop();
  const params = { path: { order_id: (await shop.givenPaidOrder()).id } };
  const failed = { status: 'failed', failure_reason: 'account_not_available' };
  const refund = async () => {
    const body = { amount: '14.90', reason: 'damaged' as const };
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
    await shop.finishMoves();
    return (await shop.details(params.path.order_id)).refunds.at(-1);
  };
  expect((await shop.dashboard.PATCH(PATH, { body: { secret_key: 'sk_test_other' } })).error).toBeUndefined();
  expect(await refund()).toMatchObject(failed);
  expect((await shop.dashboard.DELETE(PATH)).error).toBeUndefined();
  expect(await refund()).toMatchObject(failed);
  expect(await shop.details(params.path.order_id)).toMatchObject({ payment_status: 'paid', refundable: '14.90' });
});

test("records a manual refund of a card payment only after the provider's refund has failed", async () => {
  const shop = await stripe.givenShop();
  const params = { path: { order_id: (await shop.givenPaidOrder()).id } };
  const refund = async (amount: string, by_hand?: true) => {
    const body = { amount, reason: 'damaged' as const, ...(by_hand && { by_hand }) };
    const answer = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
    await shop.finishMoves();
    return answer;
  };
  const { data: returned } = await refund('4.90');
  expect(returned?.refund).toMatchObject({ status: 'pending' });
  expect((await refund('10.00', true)).error).toMatchObject({ detail: [{ loc: ['body', 'by_hand'] }] });
  expect((await shop.dashboard.DELETE(PATH)).error).toBeUndefined();
  await refund('10.00');
  expect((await shop.details(params.path.order_id)).refunds.map(({ status }) => status)).toEqual([
    'succeeded',
    'failed',
  ]);

  expect((await refund('10.01', true)).error).toMatchObject({ error: 'refund_exceeds_paid', refundable: '10.00' });
  const [part, rest] = [await refund('3.00', true), await refund('7.00', true)];
  expect(part.data).toMatchObject({
    refund: { status: 'succeeded', provider_reference: null },
    order: { payment_status: 'partially_refunded' },
  });
  expect(rest.data?.order.payment_status).toBe('refunded');
  const atStripe = [...stripe.standIn.ledger.refunds.values()].filter(({ account }) => account === shop.account);
  expect(atStripe.map(({ amount }) => amount)).toEqual([490]);
});

test('a capture without its payment account fails once, notifies the staff, and can be repeated later', async () => {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const { id: order_id } = await shop.givenPaidOrder();
  const params = { path: { order_id } };
  const capture = () => shop.dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params, body: {} });
  const mailsTold = async () => {
    const { rows } = await server.owner.query(
      `select from graphile_worker._private_jobs
        where payload ->> 'site_id' = $1 and payload ->> 'template' = 'capture_failed'`,
      [shop.site_id],
    );
    return rows.length;
  };
  const { rows: accounts } = await server.owner.query(
    'delete from commerce.payment_accounts where site_id = $1 returning *',
    [shop.site_id],
  );
  await capture();
  for (let minute = 0; minute < 2; minute += 1) await shop.finishMoves();
  expect(await mailsTold()).toBe(1);
  expect(await shop.details(order_id)).toMatchObject({ payment_status: 'authorized' });
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}/timeline', { params });
  expect(data?.entries[0]?.message).toBe('The provider could not capture 14.90 EUR: account_not_available.');

  await server.owner.query(
    'insert into commerce.payment_accounts select * from jsonb_populate_record(null::commerce.payment_accounts, $1)',
    [JSON.stringify({ ...accounts[0], ...sealedIn(accounts[0]) })],
  );
  await capture();
  await shop.finishMoves();
  expect(await shop.details(order_id)).toMatchObject({ payment_status: 'paid' });
});

/** The encrypted fields of an account, in PostgreSQL's text form. */
function sealedIn(account: Record<string, unknown> = {}): Record<string, string> {
  const bytes = Object.entries(account).filter(([, value]) => Buffer.isBuffer(value)) as [string, Buffer][];
  return Object.fromEntries(bytes.map(([name, value]) => [name, `\\x${value.toString('hex')}`]));
}

test('a shop whose payment account the operator connected can change only its capture setting', async () => {
  const shop = await stripe.givenShop();
  await server.owner.query(
    `update commerce.payment_accounts set secret_key = null, connected_account = 'acct_finch' where site_id = $1`,
    [shop.site_id],
  );
  expect((await shop.dashboard.GET(PATH)).data).toMatchObject({ kind: 'connected', connected_account: 'acct_finch' });
  const { error } = await shop.dashboard.PATCH(PATH, { body: { secret_key: 'sk_test_alder' } });
  expect(error).toMatchObject({ error: 'payment_account_connected' });
  expect((await shop.dashboard.PATCH(PATH, { body: { capture: 'manual' } })).data).toMatchObject({ capture: 'manual' });
});
