import { expect, test } from 'vitest';
import { mailsTo } from '../../test/mail.ts';
import { givenShippedOrder } from '../../test/returns.ts';
import { openShop } from '../../test/shop.ts';

type Given = Awaited<ReturnType<typeof givenShippedOrder>>;

/**
 * Creates a webhook and returns a function that reads its events. The webhook is disabled, because its deliveries would
 * wait in the same queue as the mails.
 */
async function subscribe({ shop: { dashboard, owner, site_id } }: Given) {
  const body = { url: 'https://hooks.example.net/shop', events: ['return.*' as const] };
  const { data } = await dashboard.POST('/api/dashboard/webhooks', { body });
  await dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', {
    params: { path: { webhook_id: data?.id ?? '' } },
    body: { status: 'disabled' },
  });
  return async () => {
    const { rows } = await owner.query<{ type: string; number: string }>(
      `select type, payload::jsonb -> 'data' ->> 'number' as number from commerce.events where site_id = $1 order by made_in, id`,
      [site_id],
    );
    return rows.map(({ type, number }) => `${type} ${number}`);
  };
}

test('a return that is requested, approved, received, refunded and closed adds timeline entries, events and mails', async () => {
  const given = await givenShippedOrder(3);
  const { shop, customer, order, request, approve, track, receive, refundReturn, read, line, onHand, timeline } = given;
  const events = await subscribe(given);
  await mailsTo(shop, customer.email);
  const before = (await mailsTo(shop, customer.email)).length;

  const requested = await request(2, { customer_note: 'Too small.' });
  expect([requested.response.status, requested.data]).toMatchObject([
    201,
    { number: `${order.order_number}-R1`, status: 'requested', kind: 'return', created_by: 'customer', late: false },
  ]);
  await mailsTo(shop, customer.email);
  const { id = '', lines = [] } = requested.data ?? {};
  const line_id = lines[0]?.id ?? '';
  expect(await line()).toMatchObject({ fulfilled: 3, returned: 0, returnable: 1 });
  const approved = await approve(id, { fee: '1.00', shipping: { label_url: 'https://labels.example/1.pdf' } });
  expect(approved.data).toMatchObject({ status: 'approved', fee: '1.00', decided_at: expect.any(String) });
  const mails = await mailsTo(shop, customer.email);
  expect(mails.at(-1)?.html).toContain('https://labels.example/1.pdf');
  expect((await track(id)).data).toMatchObject({ status: 'in_transit', shipping: { tracking_number: '0034' } });
  expect((await track(id, '0035')).data).toMatchObject({ status: 'in_transit', shipping: { tracking_number: '0035' } });
  expect((await receive(id, line_id, 1)).data).toMatchObject({ status: 'received' });
  const received = await receive(id, line_id, 1, 'damaged');
  expect(received.data?.lines).toMatchObject([{ received_quantity: 2, condition: 'damaged', restocked: 1 }]);
  expect(await line()).toMatchObject({ fulfilled: 3, returned: 2, refunded: 0, returnable: 1 });
  expect(await onHand()).toBe(28);

  const refunded = await refundReturn(id, { note: 'As agreed.' });

  expect(refunded.data).toMatchObject({
    return: { status: 'closed', refund_ids: [refunded.data?.refund.id], closed_at: expect.any(String) },
    refund: {
      amount: '19.00',
      reason: 'returned',
      return_id: id,
      line_items: [{ quantity: 2, restock: false, shipped: true }],
    },
  });
  expect(await onHand()).toBe(28);
  expect(await read(id)).toEqual(refunded.data?.return);
  const name = `${order.order_number}-R1`;
  expect(await events()).toEqual([
    `return.requested ${name}`,
    `return.approved ${name}`,
    `return.received ${name}`,
    `return.received ${name}`,
    `return.closed ${name}`,
  ]);
  const moves = (await timeline()).filter(({ type }) => type === 'return_changed');
  expect(moves.map(({ context }) => context.return_status)).toEqual([
    undefined,
    { from: 'requested', to: 'approved' },
    { from: 'approved', to: 'in_transit' },
    undefined,
    { from: 'in_transit', to: 'received' },
    undefined,
    { from: 'received', to: 'closed' },
  ]);
  const sent = (await mailsTo(shop, customer.email)).slice(before);
  // The return was requested, approved, received, refunded and closed.
  expect(sent).toHaveLength(5);
  expect(sent.filter(({ subject }) => subject.includes(name))).toHaveLength(4);
});

test('a return that staff create is approved immediately, with one mail about the approval', async () => {
  const given = await givenShippedOrder(2);
  const { shop, customer, create } = given;
  const events = await subscribe(given);
  const before = (await mailsTo(shop, customer.email)).length;

  const { data } = await create(1, { staff_note: 'Called us.' });

  expect(data).toMatchObject({ status: 'approved', staff_note: 'Called us.', created_by: 'api_key' });
  // Events of the same transaction may arrive in any order.
  expect((await events()).toSorted()).toEqual([`return.approved ${data?.number}`, `return.requested ${data?.number}`]);
  expect((await mailsTo(shop, customer.email)).length - before).toBe(1);
});

test('declining or cancelling a return makes its items returnable again', async () => {
  const { shop, customer, request, decline, cancel, given, track, line } = await givenShippedOrder(2);

  const first = await request(2);
  const declined = await decline(first.data?.id ?? '', 'It was worn.\nThe label is missing.');
  expect(declined.data).toMatchObject({ status: 'declined', decline_reason: 'It was worn.\nThe label is missing.' });
  expect((await mailsTo(shop, customer.email)).at(-1)?.html).toContain('It was worn.<br>The label is missing.');
  for (const status of ['requested', 'approved', 'in_transit']) {
    const id = status === 'requested' ? (await request(2)).data?.id : (await given(2)).id;
    if (status === 'in_transit') await track(id ?? '');
    expect(await line()).toMatchObject({ returnable: 0 });
    expect((await cancel(id ?? '')).data).toMatchObject({ status: 'cancelled', closed_at: expect.any(String) });
    expect(await line()).toMatchObject({ returnable: 2 });
  }
});

test('rejects each status change that the state of a return does not allow (409 invalid_transition), and lists the allowed ones', async () => {
  const shipped = await givenShippedOrder(20);
  const { request, given, approve, decline, track, cancel, receive, refundReturn, close } = shipped;
  const open = async (status: string) => {
    if (status === 'requested') return (await request(1)).data;
    if (status === 'declined') return (await decline((await request(1)).data?.id ?? '')).data;
    const made = await given(1);
    if (status === 'in_transit') return (await track(made.id)).data;
    if (status === 'received') return (await receive(made.id, made.lines[0]?.id ?? '', 1)).data;
    if (status === 'cancelled') return (await cancel(made.id)).data;
    if (status === 'closed') {
      await receive(made.id, made.lines[0]?.id ?? '', 1);
      return (await close(made.id, 'Worn.')).data;
    }
    return made;
  };
  const moves = {
    approved: (id: string) => approve(id),
    declined: (id: string) => decline(id),
    in_transit: (id: string) => track(id),
    cancelled: (id: string) => cancel(id),
    received: (id: string, line: string) => receive(id, line, 1),
    refunded: (id: string) => refundReturn(id),
    closed: (id: string) => close(id, 'Worn.'),
  };
  const allowed: Record<string, string[]> = {
    requested: ['approved', 'declined', 'cancelled'],
    approved: ['in_transit', 'received', 'cancelled'],
    in_transit: ['received', 'cancelled'],
    received: ['closed'],
    declined: [],
    cancelled: [],
    closed: [],
  };
  for (const [from, possible] of Object.entries(allowed)) {
    const { id = '', status, lines = [] } = (await open(from)) ?? {};
    expect(status).toBe(from);
    const repeatable = from === 'in_transit' || from === 'received' ? [from] : [];
    for (const [to, move] of Object.entries(moves)) {
      const target = to === 'refunded' ? 'closed' : to;
      if ([...possible, ...repeatable].includes(target)) continue;
      const { response, error } = await move(id, lines[0]?.id ?? '');
      expect([from, to, response.status, error]).toMatchObject([
        from,
        to,
        409,
        { error: 'invalid_transition', field: 'status', from, to: target, allowed: possible },
      ]);
    }
  }
});

test('rejects a return of more items than were shipped, less the items in other returns (409 return_quantity_exceeded)', async () => {
  const { shop, create, given, receive, refundOrder, line, line_item_id } = await givenShippedOrder(4, { ship: 3 });

  const tooMany = await create(4);
  expect([tooMany.response.status, tooMany.error]).toMatchObject([
    409,
    { error: 'return_quantity_exceeded', lines: [{ line_item_id, requested: 4, returnable: 3 }] },
  ]);
  const first = await given(1);
  await refundOrder('10.00', 1);
  expect((await create(2)).error).toMatchObject({ lines: [{ requested: 2, returnable: 1 }] });
  await receive(first.id, first.lines[0]?.id ?? '', 1);
  expect(await line()).toMatchObject({ fulfilled: 3, refunded: 1, returned: 1, to_fulfill: 1, returnable: 1 });
  expect((await create(1)).response.status).toBe(201);
  expect((await create(1)).error).toMatchObject({ lines: [{ requested: 1, returnable: 0 }] });

  const elsewhere = await givenShippedOrder(1);
  const foreign = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: elsewhere.order.id, lines: [{ line_item_id, quantity: 1, reason: 'other' }] },
  });
  expect(foreign.error).toMatchObject({ error: 'not_found' });
  const foreignLine = await create(1, {
    lines: [{ line_item_id: elsewhere.line_item_id, quantity: 1, reason: 'other' }],
  });
  expect(foreignLine.error).toMatchObject({ error: 'not_found' });
  const twice = Array.from({ length: 2 }, () => ({ line_item_id, quantity: 1, reason: 'other' }));
  const repeated = await create(1, { lines: twice });
  expect([repeated.response.status, repeated.error]).toMatchObject([
    422,
    { detail: [{ loc: ['body', 'lines', 1, 'line_item_id'] }] },
  ]);
});

test('after the return period, only staff can create a return, with override_policy, and the return is marked as late', async () => {
  const { create, request, shippedDaysAgo } = await givenShippedOrder(2);
  await shippedDaysAgo(13);
  expect((await create(1)).data).toMatchObject({ late: false });
  await shippedDaysAgo(2);

  for (const { response, error } of [await request(1), await create(1)]) {
    expect([response.status, error]).toMatchObject([
      409,
      { error: 'return_window_closed', closed_at: expect.any(String) },
    ]);
  }
  expect((await create(1, { override_policy: true })).data).toMatchObject({ status: 'approved', late: true });
});

test('rejects a return of products that are not returnable (409 not_returnable), unless staff override the policy', async () => {
  const { create, request, line_item_id } = await givenShippedOrder(2, { returnable: false });

  for (const { response, error } of [await request(1), await create(1)]) {
    expect([response.status, error]).toMatchObject([409, { error: 'not_returnable', lines: [{ line_item_id }] }]);
  }
  expect((await create(1, { override_policy: true })).response.status).toBe(201);
});

test('all receipts of a return together cannot exceed its quantity (422)', async () => {
  const { given, receive, read, onHand } = await givenShippedOrder(3);
  const { id, lines } = await given(2);
  const line = lines[0]?.id ?? '';

  const tooMany = await receive(id, line, 3);
  await receive(id, line, 1);
  const later = await receive(id, line, 2);
  const other = await given(1);
  const foreign = await receive(id, other.lines[0]?.id ?? '', 1);

  expect([tooMany, later].map(({ response }) => response.status)).toEqual([422, 422]);
  expect(later.error).toMatchObject({ detail: [{ loc: ['body', 'lines', 0, 'quantity'], ctx: { le: 1 } }] });
  expect(foreign.response.status).toBe(404);
  expect((await read(id))?.lines).toMatchObject([{ received_quantity: 1, restocked: 1 }]);
  expect(await onHand()).toBe(28);
});

test('resellable items are restocked once, with a stock movement that names the return', async () => {
  const { shop, order, given, receive, refundReturn, onHand } = await givenShippedOrder(3);
  const { id, lines } = await given(3);
  const line = lines[0]?.id ?? '';

  await receive(id, line, 1);
  await receive(id, line, 1, 'damaged');
  await receive(id, line, 1, 'missing');
  await refundReturn(id);

  expect(await onHand()).toBe(28);
  const variant_id = order.line_items[0]?.variant_id ?? '';
  const { data } = await shop.dashboard.GET('/api/dashboard/inventory/{variant_id}/movements', {
    params: { path: { variant_id } },
  });
  const back = data?.movements.filter(({ type }) => type === 'return');
  expect(back).toMatchObject([{ delta: 1, reference: { type: 'return', id } }]);
});

test('items that did not arrive can be returned again once the return is closed', async () => {
  const { shop, customer, given, receive, refundReturn, line } = await givenShippedOrder(2);
  const { id, lines } = await given(2);
  const sent = async () => (await mailsTo(shop, customer.email)).at(-1)?.subject;

  const missing = await receive(id, lines[0]?.id ?? '', 1, 'missing');
  expect(missing.data).toMatchObject({ status: 'received', received_at: null });
  expect(await sent()).toContain('has been approved');
  expect((await receive(id, lines[0]?.id ?? '', 1)).data).toMatchObject({ received_at: expect.any(String) });
  expect(await sent()).toContain('has arrived');
  expect(await line()).toMatchObject({ returned: 1, returnable: 0 });
  const { data } = await refundReturn(id);

  expect(data?.refund).toMatchObject({ amount: '10.00', line_items: [{ quantity: 1 }] });
  expect(await line()).toMatchObject({ returned: 1, refunded: 1, returnable: 1 });
});

test('an order becomes `returned` when all shipped items are back and none is left to ship', async () => {
  const { given, receive, details, refundOrder, shop, order, line_item_id } = await givenShippedOrder(3, { ship: 2 });
  const { id, lines } = await given(2);
  await receive(id, lines[0]?.id ?? '', 2);
  expect(await details()).toMatchObject({ fulfillment_status: 'partially_fulfilled' });

  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id: order.id } },
    body: { amount: '10.00', reason: 'customer', line_items: [{ line_item_id, quantity: 1, shipped: false }] },
  });
  expect(await details()).toMatchObject({ fulfillment_status: 'returned', payment_status: 'partially_refunded' });
  expect((await refundOrder('1.00', 3)).response.status).toBe(422);

  const whole = await givenShippedOrder(1);
  const made = await whole.given(1);
  await whole.receive(made.id, made.lines[0]?.id ?? '', 1, 'damaged');
  expect(await whole.details()).toMatchObject({ fulfillment_status: 'returned', payment_status: 'paid' });
  expect((await whole.timeline()).at(-1)).toMatchObject({
    type: 'returned',
    context: { fulfillment_status: { from: 'fulfilled', to: 'returned' } },
  });
});

test('a return whose goods the customer keeps is refunded without a receipt, and its items are not restocked', async () => {
  const { request, approve, refundReturn, line, onHand, cancel } = await givenShippedOrder(2);
  const { id = '' } = (await request(1)).data ?? {};
  await approve(id, { keep_goods: true });

  const { data } = await refundReturn(id, { shipping: 'all' });

  expect(data).toMatchObject({
    return: { status: 'closed', keep_goods: true },
    refund: { amount: '14.90', shipping: '4.90' },
  });
  expect(await line()).toMatchObject({ returned: 0, refunded: 1, returnable: 1 });
  expect(await onHand()).toBe(28);
  expect((await cancel(id)).error).toMatchObject({ error: 'invalid_transition', allowed: [] });
});

test('each item of a return is refunded once, and closing a return without a refund needs a reason', async () => {
  const { given, receive, refundReturn, close, details } = await givenShippedOrder(2);
  const { id, lines } = await given(2, { fee: '3.00' });
  await receive(id, lines[0]?.id ?? '', 1);

  const unreasoned = await close(id);
  expect([unreasoned.response.status, unreasoned.error]).toMatchObject([
    422,
    { detail: [{ loc: ['body', 'reason'] }] },
  ]);
  const first = await refundReturn(id, { close: false });
  const again = await refundReturn(id, { close: false, amount: '5.00' });
  await receive(id, lines[0]?.id ?? '', 1);
  const second = await refundReturn(id);

  expect(first.data).toMatchObject({ return: { status: 'received' }, refund: { amount: '7.00' } });
  expect([again.response.status, again.error]).toMatchObject([409, { error: 'conflict' }]);
  expect(second.data).toMatchObject({ return: { status: 'closed' }, refund: { amount: '10.00' } });
  expect(await details()).toMatchObject({
    refunded: '17.00',
    line_states: [{ refunded: 2, returned: 2, returnable: 0 }],
  });

  const free = await givenShippedOrder(1);
  const made = await free.given(1);
  await free.receive(made.id, made.lines[0]?.id ?? '', 1);
  expect((await free.close(made.id, 'It was worn.')).data).toMatchObject({
    status: 'closed',
    close_reason: 'It was worn.',
    refund_ids: [],
  });
  expect((await mailsTo(free.shop, free.customer.email)).at(-1)?.html).toContain('It was worn.');
});

test('the goods of an unpaid order can be returned, but a refund of the return is rejected (409)', async () => {
  const { given, receive, refundReturn, close } = await givenShippedOrder(1, { paid: false });
  const { id, lines } = await given(1);
  await receive(id, lines[0]?.id ?? '', 1);

  const { response, error } = await refundReturn(id);

  expect([response.status, error]).toMatchObject([409, { error: 'invalid_transition', field: 'payment_status' }]);
  expect((await close(id, 'Not paid.')).data).toMatchObject({ status: 'closed' });
});

test('rejects a refund that restocks items of a return (409 return_quantity_exceeded)', async () => {
  const { given, receive, refundOrder, onHand, line } = await givenShippedOrder(2);
  const { id, lines } = await given(2);
  const open = await refundOrder('10.00', 1, { restock: true });
  await receive(id, lines[0]?.id ?? '', 2);
  const back = await refundOrder('10.00', 1, { restock: true });

  for (const { response, error } of [open, back]) {
    expect([response.status, error]).toMatchObject([409, { error: 'return_quantity_exceeded' }]);
  }
  expect(await onHand()).toBe(30);
  expect((await refundOrder('10.00', 1)).response.status).toBe(201);
  expect(await line()).toMatchObject({ returned: 2, refunded: 1, returnable: 0 });
});

test('lists returns newest first, and filters them by status, order and number', async () => {
  const { shop, order, given, request } = await givenShippedOrder(3);
  const first = await given(1);
  const second = (await request(1)).data;
  const list = async (query: object) =>
    (await shop.dashboard.GET('/api/dashboard/returns', { params: { query } })).data?.returns.map(
      ({ number }) => number,
    );

  expect(await list({})).toEqual([second?.number, first.number]);
  expect(await list({ status: 'requested' })).toEqual([second?.number]);
  expect(await list({ number: first.number })).toEqual([first.number]);
  expect(await list({ order_id: order.id, open: true, limit: 1 })).toEqual([second?.number]);
  expect(await list({ open: false })).toEqual([]);
  const elsewhere = await openShop();
  const foreign = await elsewhere.dashboard.GET('/api/dashboard/returns/{return_id}', {
    params: { path: { return_id: first.id } },
  });
  expect(foreign.response.status).toBe(404);
});
