import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const severalPath = '/api/dashboard/orders/mark-paid';

async function statusesOf({ dashboard }: Awaited<ReturnType<typeof openShop>>) {
  const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { sort: 'oldest' } } });
  return data?.orders.map(({ payment_status }) => payment_status);
}

test('mark-paid marks or rejects each row of a request separately', async () => {
  const shop = await openShop();
  const [first, other] = [await shop.givenOrder(), await shop.givenOrder()];
  const card = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });
  const late = await shop.givenOrder();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: late.id } },
    body: { reason: 'other' },
  });
  const rows = [
    { order_number: first.order_number, amount: first.total },
    { order_number: other.order_number, amount: '0.01' },
    { order_number: card.order_number },
    { order_number: late.order_number },
    { order_number: '999999' },
    { order_number: first.order_number },
  ];

  const { data } = await shop.dashboard.POST(severalPath, { body: { orders: rows } });

  expect(data?.counts).toEqual({ paid: 1, recorded: 0, unchanged: 0, failed: 5 });
  expect(data?.results.map(({ order_id, status, reason }) => [order_id, status, reason])).toEqual([
    [first.id, 'paid', null],
    [other.id, 'failed', 'amount_differs'],
    [card.id, 'failed', 'not_bank_transfer'],
    [late.id, 'failed', 'payment_not_awaiting'],
    [null, 'failed', 'not_found'],
    [first.id, 'failed', 'duplicate'],
  ]);
  expect(data?.results[1]?.message).toBe(`The order total is ${other.total} EUR, not 0.01.`);
  expect(await statusesOf(shop)).toEqual(['paid', 'awaiting_payment', 'paid', 'voided']);
});

test('a dry run of mark-paid returns the same results without writing, and a paid order stays unchanged', async () => {
  const shop = await openShop();
  const { order_number } = await shop.givenOrder();
  const mark = async (dry_run: boolean) => {
    const { data } = await shop.dashboard.POST(severalPath, { body: { orders: [{ order_number }], dry_run } });
    const { recorded, ...counts } = data?.counts ?? {};
    expect(recorded).toBe(0);
    return { dry_run: data?.dry_run, ...counts, now: await statusesOf(shop) };
  };

  expect(await mark(true)).toEqual({ dry_run: true, paid: 1, unchanged: 0, failed: 0, now: ['awaiting_payment'] });
  expect(await mark(false)).toEqual({ dry_run: false, paid: 1, unchanged: 0, failed: 0, now: ['paid'] });
  expect(await mark(false)).toEqual({ dry_run: false, paid: 0, unchanged: 1, failed: 0, now: ['paid'] });
});

test('concurrent mark-paid requests that list the same orders in opposite order pay each order once without a deadlock', async () => {
  const shop = await openShop();
  const { variants } = await shop.givenProduct({ inventory_quantity: 50 });
  const content = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const orders = [];
  for (let i = 0; i < 6; i += 1) orders.push(await shop.givenOrder({ content }));
  const rows = orders.map(({ order_number }) => ({ order_number }));

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      shop.dashboard.POST(severalPath, { body: { orders: i % 2 ? rows : rows.toReversed() } }),
    ),
  );

  expect(answers.map(({ response }) => response.status)).toEqual(Array(8).fill(200));
  expect(answers.reduce((sum, { data }) => sum + (data?.counts.paid ?? 0), 0)).toBe(6);
});

test('rejects an order of another shop (not_found), and an amount with too many decimals (422)', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const { order_number } = await neighbour.givenOrder();

  const { data } = await shop.dashboard.POST(severalPath, { body: { orders: [{ order_number }] } });
  const { error, response } = await neighbour.dashboard.POST(severalPath, {
    body: { orders: [{ order_number, amount: '10.505' }] },
  });

  expect(data?.results[0]).toMatchObject({ status: 'failed', reason: 'not_found', order_id: null });
  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'orders', 0, 'amount'] }] });
  expect(await statusesOf(neighbour)).toEqual(['awaiting_payment']);
});
