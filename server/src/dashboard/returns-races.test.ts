import { expect, test } from 'vitest';
import { givenShippedOrder } from '../../test/returns.ts';

const CALLS = 12;

function inParallel<Result>(call: (i: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: CALLS }, (_, i) => call(i)));
}

test('parallel return requests of staff and customer never exceed the shipped quantity', async () => {
  const { create, request, line, shop, order } = await givenShippedOrder(5);

  const answers = await inParallel((i) => (i % 2 ? create(2) : request(2)));

  const made = answers.filter(({ data }) => data);
  expect(made).toHaveLength(2);
  expect(new Set(made.map(({ data }) => data?.number)).size).toBe(2);
  const refused = answers.filter(({ error }) => error);
  expect(refused.map(({ error }) => error?.error)).toEqual(Array(CALLS - 2).fill('return_quantity_exceeded'));
  expect(await line()).toMatchObject({ returned: 0, returnable: 1 });
  const { data } = await shop.dashboard.GET('/api/dashboard/returns', { params: { query: { order_id: order.id } } });
  expect(data?.returns.flatMap(({ lines }) => lines.map(({ quantity }) => quantity))).toEqual([2, 2]);
});

test('parallel receipts of the same items count and restock them once', async () => {
  const { given, receive, read, line, onHand } = await givenShippedOrder(3);
  const { id, lines } = await given(3);

  const answers = await inParallel(() => receive(id, lines[0]?.id ?? '', 2));

  expect(answers.map(({ response }) => response.status).toSorted()).toEqual([200, ...Array(CALLS - 1).fill(422)]);
  expect((await read(id))?.lines).toMatchObject([{ received_quantity: 2, restocked: 2 }]);
  expect(await line()).toMatchObject({ returned: 2, returnable: 0 });
  expect(await onHand()).toBe(29);
});

test('parallel refunds of a return refund its items once', async () => {
  const { given, receive, refundReturn, details } = await givenShippedOrder(2);
  const { id, lines } = await given(1);
  await receive(id, lines[0]?.id ?? '', 1);

  const answers = await inParallel((i) => refundReturn(id, { close: i % 2 === 0 }));

  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  const errors = new Set(answers.flatMap(({ error }) => error?.error ?? []));
  expect([...errors].every((error) => error === 'conflict' || error === 'invalid_transition')).toBe(true);
  expect(await details()).toMatchObject({ refunded: '10.00', line_states: [{ refunded: 1, returned: 1 }] });
});

test('parallel returns, refunds with restocking and cancellations never count an item twice', async () => {
  const { create, cancel, refundOrder, line, onHand } = await givenShippedOrder(4);

  const answers = await inParallel(async (i) => {
    if (i % 2) return (await refundOrder('10.00', 1, { restock: true })).response.status;
    const { data, response } = await create(1);
    if (data && i % 4) await cancel(data.id);
    return response.status;
  });

  expect(answers.every((status) => status === 201 || status === 409 || status === 422)).toBe(true);
  const { returned = 0, refunded = 0, returnable = 0 } = (await line()) ?? {};
  const open = 4 - returned - returnable;
  expect(returned).toBe(refunded);
  expect(open).toBeGreaterThanOrEqual(0);
  expect(await onHand()).toBe(26 + returned);
});
