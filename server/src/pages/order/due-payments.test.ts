import { expect, test } from 'vitest';
import { givenDue, goesOnTo, ORDER } from '../../../test/due-payments.ts';
import { workOverdue } from '../../../test/jobs.ts';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { takeEvent } from '../../shop/checkout/settle.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { takeMadeRefund } from '../../shop/orders/made-refunds.ts';
import { takeDispute } from '../../shop/orders/reported-disputes.ts';

const plain = (html: string) => unescaped(html).replaceAll(/[\u00a0\u202f]/g, ' ');

test('a guest pays the exact amount due online, which is recorded once and confirmed by mail', async () => {
  const due = await givenDue();
  const open = await new PaperBrowser(due.shop.baseUrl).open(due.link);
  expect(plain(open.html)).toContain('Pay €12.50 now');

  const back = await due.pay();

  expect(plain(back.html)).not.toContain('Still to pay');
  expect(plain(back.html)).not.toContain('Pay €');
  const [payment] = await due.payments();
  const order = await due.details();
  expect(order).toMatchObject({
    amount_due: '0.00',
    amount_received: '27.40',
    payment_status: 'paid',
    refund_due: '0.00',
  });
  expect(order?.recorded_payments).toMatchObject([{ amount: '12.50', method: 'card', payment_id: payment?.id }]);
  expect(await due.payments()).toMatchObject([{ status: 'succeeded', amount: '12.50' }]);
  const [newest] = await due.timeline();
  expect(newest).toMatchObject({ type: 'updated', message: '12.50 EUR arrived.', actor_type: 'system' });
  const mail = (await mailsTo(due.shop, due.email)).at(-1);
  expect(mail?.subject).toBe(`We have received your payment for order ${due.order.order_number}`);
  expect(plain(mail?.html ?? '')).toContain('We have received €12.50');
  await due.settlePayments();
  expect(await due.details()).toMatchObject({ amount_received: '27.40' });
});

test('an online payment requires the e-mail address or postal code of the order (422), and a form from the same origin (403)', async () => {
  const { shop, link, leave, payments } = await givenDue();
  const browser = new PaperBrowser(shop.baseUrl);
  const wrong = await leave(browser, '10116');
  const empty = await leave(browser, '');
  const foreign = await browser.send(
    new URL(link).pathname,
    new URLSearchParams({ action: 'pay_due', proof: '10115' }),
  );

  expect([wrong, empty, foreign].map(({ response }) => response.status)).toEqual([422, 422, 403]);
  expect(await payments()).toEqual([]);
});

test('a logged-in customer can pay the amount due on the account page, and another customer cannot (404)', async () => {
  const { shop, order, details, payments } = await givenDue();
  const { email, password, id } = await shop.givenCustomer();
  await shop.owner.query('update commerce.orders set customer_id = $2 where id = $1', [order.id, id]);
  const stranger = await shop.givenCustomer();
  const path = `/account?site_id=${shop.site_id}&order=${order.id}`;
  const browser = new PaperBrowser(shop.baseUrl);
  const other = new PaperBrowser(shop.baseUrl);
  await browser.press(await browser.open(path), 'log_in', { email, password });
  await other.press(await other.open(path), 'log_in', { email: stranger.email, password: stranger.password });

  const page = await browser.open(path);
  const csrf =
    /name="csrf" value="([^"]*)"/.exec((await other.open(`/account?site_id=${shop.site_id}`)).html)?.[1] ?? '';
  const refused = await other.send(path, new URLSearchParams({ action: 'pay_due', csrf }));
  expect(refused.response.status).toBe(404);
  expect(await payments()).toEqual([]);
  const asked = await browser.open(goesOnTo(await browser.press(page, 'pay_due')));
  const decided = await browser.press(asked, 'approve');
  await browser.open(goesOnTo(decided));

  expect(await details()).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
  expect((await browser.open(path)).html).not.toContain('pay_due');
});

test('a declined payment does not change the amount due, and the next attempt can pay it', async () => {
  const { pay, details, payments } = await givenDue();

  const back = await pay('decline');
  expect(plain(back.html)).toContain('Pay €12.50 now');
  expect(await details()).toMatchObject({ amount_due: '12.50', payment: { failure_reason: null } });
  await pay();

  expect(await details()).toMatchObject({ amount_due: '0.00' });
  expect((await payments()).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
});

test('several tabs open the same payment, even if the button is pressed in all of them concurrently', async () => {
  const { leave, payments, details, approve } = await givenDue();

  const tabs = await Promise.all([leave(), leave(), leave(), leave()]);
  const again = await leave();

  expect(new Set([...tabs, again].map(goesOnTo)).size).toBe(1);
  expect(await payments()).toHaveLength(1);
  await approve(again);
  await leave();
  expect(await details()).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
  expect(await payments()).toHaveLength(1);
});

test('rejects an edit while a payment of the amount due is open (409 payment_in_progress), and accepts it afterwards', async () => {
  const { leave, edit, payments, shop, settlePayments, details } = await givenDue();
  await leave();
  const [open] = await payments();

  expect((await edit()).error).toMatchObject({ error: 'payment_in_progress', payment_id: open?.id });
  await shop.owner.query(`update commerce.payments set expires_at = now() where id = $1`, [open?.id]);
  await settlePayments();

  expect(await payments()).toMatchObject([{ status: 'cancelled' }]);
  expect((await edit()).error).toBeUndefined();
  expect(await details()).toMatchObject({ amount_due: '25.00' });
});

test('after a concurrent edit and start of a payment, the payment has the amount due', async () => {
  const { leave, edit, payments, details } = await givenDue();

  const [left, edited] = await Promise.all([leave(), edit()]);

  const [payment] = await payments();
  expect(left.response.status).toBe(200);
  expect(payment?.amount).toBe((await details())?.amount_due);
  if (edited.error) expect(edited.error).toMatchObject({ error: 'payment_in_progress' });
});

test('if the amount due falls during a payment, the received amount is recorded and the excess is due for refund', async () => {
  const { shop, leave, record, approve, details, payments } = await givenDue();
  const left = await leave();
  await record('5.00');
  await approve(left);
  await workOverdue(shop);

  expect(await details()).toMatchObject({ amount_due: '0.00', amount_received: '32.40', refund_due: '5.00' });
  expect(await payments()).toMatchObject([{ status: 'succeeded' }]);
});

test('after the amount due has changed, the button cancels the open payment and starts one with the new amount', async () => {
  const { leave, record, payments, details, kept, settlePayments } = await givenDue();
  const first = goesOnTo(await leave());
  await record('5.00');

  const second = goesOnTo(await leave());

  expect(second).not.toBe(first);
  expect(await payments()).toMatchObject([
    { status: 'cancelled', amount: '12.50' },
    { status: 'requires_action', amount: '7.50' },
  ]);
  await settlePayments();
  expect(await details()).toMatchObject({ amount_due: '7.50' });
  expect(await kept()).toBe(1_490);
});

test('the payment button returns to the order page if nothing is due any more', async () => {
  const { shop, link, record, payments } = await givenDue();
  const browser = new PaperBrowser(shop.baseUrl);
  const page = await browser.open(link);
  await record('12.50');

  const answer = await browser.press(page, 'pay_due', { proof: '10115' });

  expect(answer.path).toBe(new URL(link).pathname);
  expect(await payments()).toEqual([]);
});

test('cancelling an order cancels its open payment, and refunds it in full if it succeeds anyway', async () => {
  const [ended, late] = [await givenDue(), await givenDue()];
  await ended.leave();
  const left = await late.leave();
  await late.approve(left);
  for (const { cancel } of [ended, late]) expect((await cancel()).error).toBeUndefined();
  for (const { settlePayments, finishMoves } of [ended, late]) {
    await settlePayments();
    await finishMoves();
  }

  expect((await ended.payments()).map(({ status }) => status)).toEqual(['cancelled']);
  expect((await late.payments()).map(({ status }) => status)).toEqual(['refunded']);
  for (const { kept, details } of [ended, late]) {
    expect(await kept()).toBe(0);
    expect(await details()).toMatchObject({ status: 'cancelled', refunded: '14.90', refund_due: '0.00' });
  }
});

test('if a payment succeeds while its order is being cancelled, the payment is refunded in full', async () => {
  for (let round = 0; round < 4; round += 1) {
    const due = await givenDue();
    await due.approve(await due.leave());
    await Promise.all([due.cancel(), due.settlePayments()]);
    await due.settlePayments();
    await due.finishMoves();

    const order = await due.details();
    expect(await due.kept()).toBe(0);
    expect(Number(order?.amount_received)).toBe(Number(order?.refunded));
  }
});

test('a refund is split among the payments of an order, each up to its own amount', async () => {
  const due = await givenDue();
  await due.pay();

  await due.refund('16.00');
  await due.finishMoves();
  const { rows } = await due.shop.owner.query(
    `select p.purpose, m.amount from commerce.payment_moves m join commerce.payments p on p.site_id = m.site_id and p.id = m.payment_id
     where m.order_id = $1 and m.status = 'succeeded' order by p.created_at`,
    [due.order.id],
  );
  expect(rows).toEqual([
    { purpose: 'checkout', amount: '14.90' },
    { purpose: 'amount_due', amount: '1.10' },
  ]);
  expect(await due.details()).toMatchObject({ refunded: '16.00', refundable: '11.40' });
  expect((await due.refund('11.41')).error).toMatchObject({ error: 'refund_exceeds_paid' });
  await due.refund('11.40');
  await due.finishMoves();
  expect(await due.kept()).toBe(0);
  expect(await due.details()).toMatchObject({ refunded: '27.40', refundable: '0.00', payment_status: 'refunded' });
});

test('refunding a bank transfer order returns the part paid online through the provider, and the mail says so', async () => {
  const due = await givenDue({ method: 'bank_transfer' });
  await due.pay();
  const { error, data } = await due.refund('27.40');
  expect(error).toBeUndefined();
  expect(data?.refund).toMatchObject({ amount: '12.50', status: 'pending' });
  await due.finishMoves();

  expect(await due.kept()).toBe(0);
  expect(await due.details()).toMatchObject({ refunded: '27.40', refunds: [{ amount: '12.50' }, { amount: '14.90' }] });
  const mails = (await mailsTo(due.shop, due.email)).filter(({ subject }) => subject.includes('refund'));
  const texts = mails.map(({ html }) => plain(html ?? ''));
  expect(texts.filter((text) => text.includes('payment method you used'))).toHaveLength(1);
});

test('concurrent refunds during a payment never exceed the amount of any payment', async () => {
  const due = await givenDue();
  await due.approve(await due.leave());

  await Promise.all([due.settlePayments(), ...Array.from({ length: 6 }, () => due.refund('7.00'))]);
  await due.settlePayments();
  for (let n = 0; n < 6; n += 1) await due.refund('7.00');
  await due.finishMoves();

  expect(await due.details()).toMatchObject({ amount_received: '27.40', refunded: '21.00' });
  expect(await due.kept()).toBe(640);
});

test('repeated and reordered events record a successful payment once, even after a cancelled event', async () => {
  const due = await givenDue();
  await due.leave();
  const [payment] = await due.payments();
  const id = payment?.id ?? '';
  const take = (event_id: string, status: 'succeeded' | 'cancelled') =>
    inShopAsSystem(due.shop.db, due.shop.site_id, (shop) =>
      takeEvent(shop, due.deps, id, {
        provider: due.provider.name,
        event_id,
        outcome: { status, reference: `test_${id}`, reason: null, next_action: null, amount: 1_250, currency: 'EUR' },
      }),
    );
  await take('evt_1', 'cancelled');
  await Promise.all(['evt_2', 'evt_2', 'evt_3', 'evt_4'].map((event_id) => take(event_id, 'succeeded')));
  await take('evt_5', 'cancelled');

  const order = await due.details();
  expect(order).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
  expect(order?.recorded_payments).toHaveLength(1);
  expect(await due.payments()).toMatchObject([{ status: 'succeeded' }]);
  // The success was only simulated, so this also sets the record of the test provider.
  await due.shop.owner.query('update commerce.test_payments set status = $2, captured = amount where id = $1', [
    id,
    'succeeded',
  ]);
});

test("a refund in the provider's dashboard and a dispute of an online payment are recorded on its order", async () => {
  const due = await givenDue();
  await due.pay();
  const [payment] = await due.payments();
  const id = payment?.id ?? '';
  const made = {
    amount: 250,
    reason: 'other',
    outcome: { status: 'succeeded', reference: 're_1', reason: null },
  } as const;
  await inShopAsSystem(due.shop.db, due.shop.site_id, (shop) => takeMadeRefund(shop, id, made));
  const reported = { reference: 'dp_1', status: 'open', amount: 1_000, reason: null, respond_by: null } as const;
  await inShopAsSystem(due.shop.db, due.shop.site_id, (shop) => takeDispute(shop, id, reported));

  expect(await due.details()).toMatchObject({
    refunded: '2.50',
    refundable: '14.90',
    disputes: [{ payment_id: id, amount: '10.00' }],
  });
  const { data } = await due.refund('14.90');
  expect(data?.refund).toMatchObject({ amount: '14.90', status: 'pending' });
  await due.finishMoves();
  expect(await due.details()).toMatchObject({ refunded: '17.40', refundable: '0.00' });
});

test('an exchange order can be paid online, and its full refund uses its own payment and the one of the original order', async () => {
  const due = await givenDue({ quantity: 3 });
  const { shop, order } = due;
  await due.pay();
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  const line_item_id = order.line_items[0]?.id ?? '';
  const lines = [{ line_item_id, quantity: 1, reason: 'other' as const }];
  const { data: back } = await shop.dashboard.POST('/api/dashboard/returns', {
    body: { order_id: order.id, lines, override_policy: true },
  });
  const of = { params: { path: { return_id: back?.id ?? '' } } };
  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    ...of,
    body: { lines: [{ id: back?.lines[0]?.id ?? '', quantity: 1, condition: 'resellable' }] },
  });
  const { data } = await shop.dashboard.POST('/api/dashboard/returns/{return_id}/exchange', {
    ...of,
    body: { lines: [{ variant_id: due.lid.variant_id, quantity: 1 }] },
  });
  const made = data?.order;
  expect(made).toMatchObject({ amount_due: '2.50', amount_received: '10.00' });
  const { html = '' } =
    (await mailsTo(shop, due.email)).find(({ subject }) => subject.includes(made?.order_number ?? '-')) ?? {};
  const [link = ''] = /http[^"#]*\/orders\/ord_\w+/.exec(html) ?? [];
  const browser = new PaperBrowser(shop.baseUrl);
  const leaving = await browser.press(await browser.open(link), 'pay_due', { proof: due.email });
  const decided = await browser.press(await browser.open(goesOnTo(leaving)), 'approve');
  await browser.open(goesOnTo(decided));
  const to = { params: { path: { order_id: made?.id ?? '' } } };
  expect((await shop.dashboard.GET(ORDER, to)).data).toMatchObject({ amount_due: '0.00', amount_received: '12.50' });

  await Promise.all([
    shop.dashboard.POST(`${ORDER}/refunds`, { ...to, body: { amount: '12.50', reason: 'other' } }),
    due.refund('37.40'),
  ]);
  await due.finishMoves();

  expect((await shop.dashboard.GET(ORDER, to)).data).toMatchObject({ refunded: '12.50', refundable: '0.00' });
  expect(await due.details()).toMatchObject({ refunded: '37.40', refundable: '0.00' });
  expect(await due.kept()).toBe(0);
});
