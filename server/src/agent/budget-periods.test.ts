import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { givenAgent, givenAgentCheckout } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const complete = '/api/storefront/checkout/{checkout_id}/complete';

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Agent = Awaited<ReturnType<typeof givenAgent>>;
type Wish = Parameters<typeof givenAgent>[2];

/** Opens a shop with a mug for 10.00 and free shipping, and a customer who has an agent. */
async function givenErrand(wish: Wish) {
  const shop = await openShop();
  await shop.givenShippingOption({ price: '0.00' });
  await shop.givenTerms();
  const { variants } = await shop.givenProduct({ name: 'Stoneware mug', inventory_quantity: 500 });
  const customer = await shop.givenCustomer();
  const token = await givenAgent(shop, customer, wish);
  const line = { variant_id: variants[0]?.id ?? '', quantity: 1 };
  const prepare = (quantity = 1) => givenAgentCheckout(shop, customer, token, [{ ...line, quantity }]);
  const confirm = (checkout_id: string) =>
    customer.client.POST(complete, { params: { path: { checkout_id } }, body: {} });
  const order = async () => (await confirm((await prepare()).id)).data?.order.id ?? '';
  return { shop, customer, token, line, prepare, confirm, order };
}

/** Moves the start of the budget into the past, as if this much time had passed since the consent. */
function letPass({ owner }: OpenShop, { token_id }: Agent, time: string) {
  return owner.query(
    sql`update commerce.agent_tokens set budget_since = budget_since - ${time}::interval where id = ${token_id}`,
  );
}

async function ownBudget({ agent }: Agent) {
  const { data } = await agent.GET('/api/agent/token');
  const { budget_used_cents, budget_remaining_cents, spent_total_cents } = data ?? {};
  return [budget_used_cents, budget_remaining_cents, spent_total_cents];
}

test('a monthly budget period starts on the day of the consent in UTC, or on the last day of a shorter month', async () => {
  const { owner } = await openShop();
  const periodOf = async (period: string, since: string, moment: string) => {
    const { rows } = await owner.query<{ number: number; starts: Date | null }>(
      sql`select n as number, commerce.budget_period_start(${period}, ${since}, n) as starts
        from commerce.budget_period_at(${period}, ${since}, ${moment}) as n`,
    );
    return [rows[0]?.number, rows[0]?.starts && new Date(rows[0].starts).toISOString()];
  };
  const since = '2027-01-31T22:30:00Z';

  expect(await periodOf('month', since, '2027-02-28T22:29:59Z')).toEqual([0, '2027-01-31T22:30:00.000Z']);
  expect(await periodOf('month', since, '2027-02-28T22:30:00Z')).toEqual([1, '2027-02-28T22:30:00.000Z']);
  // February has no 31st day, but the next period starts on the 31st again.
  expect(await periodOf('month', since, '2027-03-31T22:29:59Z')).toEqual([1, '2027-02-28T22:30:00.000Z']);
  expect(await periodOf('month', since, '2027-03-31T22:30:00Z')).toEqual([2, '2027-03-31T22:30:00.000Z']);
  expect(await periodOf('month', since, '2028-02-29T22:30:00Z')).toEqual([13, '2028-02-29T22:30:00.000Z']);
  // The week is counted in UTC, so daylight saving time does not change its length.
  expect(await periodOf('week', '2027-03-27T12:00:00Z', '2027-04-03T11:59:59Z')).toEqual([
    0,
    '2027-03-27T12:00:00.000Z',
  ]);
  expect(await periodOf('week', '2027-03-27T12:00:00Z', '2027-04-03T14:00:00+02:00')).toEqual([
    1,
    '2027-04-03T12:00:00.000Z',
  ]);
  expect(await periodOf('once', since, '2099-01-01T00:00:00Z')).toEqual([0, null]);
});

test('a weekly budget resets each week, and refunds of orders from past weeks do not increase it', async () => {
  const { shop, token, prepare, confirm, order } = await givenErrand({ budget_cents: 2_500, budget_period: 'week' });
  const [first, second] = [await order(), await order()];
  const third = await prepare();

  const refused = await confirm(third.id);
  expect([refused.response.status, refused.error]).toMatchObject([
    402,
    {
      ...{ limit: 'budget', budget_used_cents: 2_000, required_cents: 1_000 },
      budget: { budget_period: 'week', budget_remaining_cents: 500, spent_total_cents: 2_000 },
    },
  ]);
  const before = Date.now();
  await letPass(shop, token, '7 days');
  expect(await ownBudget(token)).toEqual([0, 2_500, 2_000]);

  const accepted = await confirm(third.id);
  expect(await ownBudget(token)).toEqual([1_000, 1_500, 3_000]);
  const { data: own } = await token.agent.GET('/api/agent/token');
  const resets = Date.parse(own?.budget_resets_at ?? '');
  expect(Math.abs(resets - before - 7 * 86_400_000)).toBeLessThan(60_000);

  const params = (order_id: string) => ({ params: { path: { order_id } } });
  const cancel = (id: string) =>
    shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { ...params(id), body: { reason: 'customer' } });
  await cancel(first);
  expect(await ownBudget(token)).toEqual([1_000, 1_500, 2_000]);
  // A refund of a paid order reduces the spent amount.
  const refund = async (id: string, amount: string) => {
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', params(id));
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
      ...params(id),
      body: { amount, reason: 'customer' },
    });
  };
  await refund(second, '10.00');
  expect(await ownBudget(token)).toEqual([1_000, 1_500, 1_000]);
  await refund(accepted.data?.order.id ?? '', '4.00');
  expect(await ownBudget(token)).toEqual([600, 1_900, 600]);
});

test('24 purchases confirmed while a budget period ends stay within the budget of each period', async () => {
  const { shop, token, prepare, confirm } = await givenErrand({ budget_cents: 7_500, budget_period: 'month' });
  const checkouts = await Promise.all(Array.from({ length: 24 }, () => prepare()));

  const answers = await Promise.all([
    ...checkouts.slice(0, 12).map(({ id }) => confirm(id)),
    letPass(shop, token, '1 month'),
    ...checkouts.slice(12).map(({ id }) => confirm(id)),
  ]);

  const made = answers.filter((answer) => 'data' in answer && answer.data).length;
  const { rows } = await shop.owner.query<{ spent: number }>(
    sql`select sum(agent_spent_cents)::int as spent from commerce.orders where agent_token_id = ${token.token_id}
      group by agent_period_number order by agent_period_number`,
  );
  const periods = rows.map(({ spent }) => spent);
  expect(Math.max(...periods)).toBeLessThanOrEqual(7_000);
  expect(periods.reduce((sum, spent) => sum + spent, 0)).toBe(made * 1_000);
  expect(made).toBeGreaterThanOrEqual(7);
  expect((await ownBudget(token))[2]).toBe(made * 1_000);
});

test('rejects an order above the limit per order (402 budget_exceeded), even if the customer filled the cart', async () => {
  const errand = await givenErrand({ budget_cents: 10_000, max_per_order_cents: 1_500 });
  const { token, line, prepare, confirm } = errand;
  const perOrder = [402, { error: 'budget_exceeded', limit: 'per_order', budget: { max_per_order_cents: 1_500 } }];

  const added = await token.agent.POST('/api/agent/intent/find-and-add', { body: { ...line, quantity: 2 } });
  const bought = await token.agent.POST('/api/agent/intent/find-and-buy', { body: { ...line, quantity: 2 } });
  const one = await token.agent.POST('/api/agent/intent/find-and-buy', { body: line });
  const two = await confirm((await prepare(2)).id);
  const allowed = await confirm((await prepare()).id);

  for (const { response, error } of [added, bought, two]) expect([response.status, error]).toMatchObject(perOrder);
  expect(one.data?.checkout?.budget).toEqual(one.data?.budget);
  const { data: read } = await token.agent.GET('/api/agent/checkouts/{checkout_id}', {
    params: { path: { checkout_id: one.data?.checkout?.id ?? '' } },
  });
  expect(read?.budget).toMatchObject({ max_per_order_cents: 1_500, budget_period: 'once', budget_resets_at: null });
  expect(allowed.response.status).toBe(200);
});
