import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { openShop } from '../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../test/withdrawals.ts';

const ONE = '/api/dashboard/withdrawals/{withdrawal_id}';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function givenEuShop(): Promise<Shop> {
  const shop = await openShop();
  await moveToEu(shop);
  return shop;
}

/** A paid order of three pieces, and a withdrawal whose text describes the order instead of giving its number. */
async function givenUnmatched({ ship = 0 } = {}) {
  const shop = await givenEuShop();
  const { dashboard } = shop;
  const product = await shop.givenProduct({ price: '10.00', inventory_quantity: 30 });
  const order = await shop.givenOrder({ content: [{ variant_id: product.variants[0]?.id ?? '', quantity: 3 }] });
  const at = { params: { path: { order_id: order.id } } };
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  const line_item_id = order.line_items[0]?.id ?? '';
  if (ship > 0) {
    const items = [{ line_item_id, quantity: ship }];
    await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: { items } });
  }
  await withdraw(shop, { email: 'other@example.com', contract: 'The scarf, in May' });
  const [{ id = '', status = '' } = {}] = await matched(shop);
  if (status !== 'unmatched') throw new Error(`The statement is ${status}.`);
  return {
    ...{ shop, order, id },
    link: (order_number = order.order_number, withdrawal_id = id) =>
      dashboard.POST(`${ONE}/link`, { params: { path: { withdrawal_id } }, body: { order_number } }),
    details: async () => (await dashboard.GET('/api/dashboard/orders/{order_id}', at)).data,
    returns: async () => (await dashboard.GET('/api/dashboard/returns')).data?.returns ?? [],
  };
}

test('linking a withdrawal to an order by hand withholds the unshipped items, and creates a return for the shipped ones', async () => {
  const { shop, order, id, link, details, returns } = await givenUnmatched({ ship: 1 });

  const { data } = await link(order.order_number.toLowerCase());

  expect(data).toMatchObject({ id, status: 'to_confirm', order_id: order.id, lines: [{ quantity: 2, confirmed: 0 }] });
  expect(await returns()).toMatchObject([{ id: data?.return_id, kind: 'withdrawal', lines: [{ quantity: 1 }] }]);
  expect((await details())?.line_states).toMatchObject([{ to_fulfill: 0 }]);
  const of = { params: { path: { withdrawal_id: id } } };
  expect((await shop.dashboard.POST(`${ONE}/confirm`, { ...of, body: {} })).data).toMatchObject({ status: 'closed' });
});

test('only an unmatched withdrawal can be linked (409), and only to an existing order (404)', async () => {
  const { link } = await givenUnmatched();
  const elsewhere = await openShop();
  const { order_number } = await elsewhere.givenOrder();

  expect((await link(`${order_number}9`)).error).toMatchObject({ error: 'not_found' });
  expect((await link('')).response.status).toBe(422);
  expect((await link()).response.status).toBe(200);
  expect((await link()).error).toMatchObject({ error: 'invalid_transition', from: 'to_confirm' });
  const strange = await elsewhere.dashboard.POST(`${ONE}/link`, {
    params: { path: { withdrawal_id: crypto.randomUUID() } },
    body: { order_number },
  });
  expect(strange.response.status).toBe(404);
});

test('concurrent requests to link a withdrawal link it once (409 for the others)', async () => {
  const { link, details } = await givenUnmatched();

  const answers = await Promise.all([link(), link(), link()]);

  expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409, 409]);
  expect((await details())?.line_states).toMatchObject([{ to_fulfill: 0, removed: 0 }]);
});

test("mails staff about a withdrawal with or without a matching order, and disables links in the customer's text", async () => {
  const shop = await givenEuShop();
  const staff = shop.credentials.staff.email;
  const email = `jo-${crypto.randomUUID()}@example.com`;
  const order = await shop.givenOrder({ email });
  const mails = async () => {
    await matched(shop);
    return (await mailsTo(shop, staff)).filter(({ subject }) => subject.includes('withdrawn'));
  };

  await withdraw(shop, { email, contract: order.order_number, name: 'Jo Doe' });
  const [known, ...others] = await mails();
  expect([known?.subject, others]).toEqual(['Jo Doe has withdrawn from a contract', []]);
  expect(known?.html).toContain(`withdrawn from order ${order.order_number}`);

  await withdraw(shop, { email, contract: 'https://evil.example', name: 'See evil.example' });
  const unknown = (await mails()).at(-1);
  expect(unknown?.html).toContain('no order has this number');
  expect(unknown?.html).toContain('https[:]//evil[.]example');
  expect([unknown?.subject, unknown?.html].join()).not.toContain('evil.example');
});

test('staff who turned off mails about new orders get none about withdrawals', async () => {
  const shop = await givenEuShop();
  await shop.owner.query(
    sql`update commerce.staff_memberships set mail_new_orders = false where site_id = ${shop.site_id}`,
  );
  await withdraw(shop, { email: 'jo@example.com' });
  await matched(shop);

  const mails = await mailsTo(shop, shop.credentials.staff.email);

  expect(mails.filter(({ subject }) => subject.includes('withdrawn'))).toEqual([]);
});

test('mails staff immediately about at most five withdrawals a day from one client', async () => {
  const shop = await givenEuShop();
  for (let i = 0; i < 7; i += 1) await withdraw(shop, { email: 'jo@example.com' });
  await matched(shop);

  const mails = await mailsTo(shop, shop.credentials.staff.email);

  expect(mails.filter(({ subject }) => subject.includes('withdrawn'))).toHaveLength(5);
});

test('the overview counts open returns and open withdrawals', async () => {
  const { shop, id, link } = await givenUnmatched({ ship: 3 });
  const counts = async () => {
    const { data } = await shop.dashboard.GET('/api/dashboard/overview');
    return [data?.open_returns_count, data?.open_withdrawals_count];
  };
  expect(await counts()).toEqual([0, 1]);
  const { data } = await link();
  expect([data?.status, await counts()]).toEqual(['closed', [1, 0]]);
  const params = { path: { return_id: data?.return_id ?? '' } };
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/cancel', { params });
  expect(await counts()).toEqual([0, 0]);
  const open = await shop.dashboard.GET('/api/dashboard/withdrawals', { params: { query: { open: false } } });
  expect(open.data?.withdrawals.map((one) => one.id)).toEqual([id]);
});
