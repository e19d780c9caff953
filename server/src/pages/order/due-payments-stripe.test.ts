import { afterAll, expect, test } from 'vitest';
import { goesOnTo, newestLink, ORDER } from '../../../test/due-payments.ts';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openStripe } from '../../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn } = stripe;
afterAll(() => stripe.close());

/** A guest's order that was paid at Stripe (14.90). An edit then left 12.50 due. */
async function givenDue() {
  const shop = await stripe.givenShop({ capture: 'manual' });
  const email = `june-${crypto.randomUUID()}@example.com`;
  const { id: checkout_id } = await shop.givenCheckout({ email });
  const { data } = await shop.complete(checkout_id, { confirmation_token: shop.givenToken() });
  const order = data?.order;
  if (!order) throw new Error('There is no order.');
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${ORDER}/capture`, { ...at, body: {} });
  await shop.finishMoves();
  const { variants } = await shop.givenProduct({ name: 'Lid', price: '12.50' });
  const body = { add: [{ variant_id: variants[0]?.id ?? '', quantity: 1 }], expected_total: '27.40' };
  const edited = await shop.dashboard.POST(`${ORDER}/edit`, { ...at, body });
  if (!edited.data) throw new Error(`The edit was refused: ${JSON.stringify(edited.error)}`);
  const link = await newestLink(shop, email);
  const browser = new PaperBrowser(shop.baseUrl);
  const leave = async () => browser.press(await browser.open(link), 'pay_due', { proof: email });
  return { shop, order, at, email, link, browser, leave };
}

test('the mail about an edit links to the payment, which Stripe captures immediately and the return page records', async () => {
  const { shop, order, email, leave, browser } = await givenDue();
  const mails = (await mailsTo(shop, email)).map(({ html }) => unescaped(html ?? ''));
  const mail = mails.find((html) => /<a [^>]*\/orders\/ord_\w+#due"[^>]*>\s*Pay €12\.50 now/.test(html));
  expect(mail).toContain('You can pay it online');

  const back = await standIn.press(goesOnTo(await leave()), 'pay');
  const led = await browser.open(back ?? '');
  const page = await browser.open(led.response.headers.get('Location') ?? '');

  expect(page.html).not.toContain('pay_due');
  expect(await shop.details(order.id)).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
  expect(shop.keptAmount()).toBe(2_740);
});

test('the webhook records a payment once if the customer does not return, even if the webhook is sent several times', async () => {
  const { shop, order, leave } = await givenDue();
  await standIn.press(goesOnTo(await leave()), 'pay');
  const events = shop.events().slice(-3);

  for (const event of [...events, ...events]) await shop.send(event);
  await Promise.all(events.map((event) => shop.send({ ...event, id: `${event.id}_again` })));

  const { amount_due, amount_received, recorded_payments } = await shop.details(order.id);
  expect({ amount_due, amount_received }).toEqual({ amount_due: '0.00', amount_received: '27.40' });
  expect(recorded_payments).toHaveLength(1);
});

test('if Stripe reports a payment late, after the order was cancelled, the job refunds the payment', async () => {
  const { shop, at, order, leave } = await givenDue();
  const url = goesOnTo(await leave());
  await standIn.press(url, 'pay');
  await shop.dashboard.POST(`${ORDER}/cancel`, { ...at, body: { reason: 'customer', refund: true } });
  for (const event of shop.events()) await shop.send(event);

  await shop.settlePayments();
  await shop.finishMoves();

  expect(shop.keptAmount()).toBe(0);
  expect(await shop.details(order.id)).toMatchObject({ amount_received: '14.90', refunded: '14.90' });
});

test('if Stripe does not respond, pressing the button again later continues the same payment', async () => {
  const { shop, order, leave } = await givenDue();
  standIn.faults.add('cut_after', /POST \/v1\/checkout\/sessions$/, 5);
  const failed = await leave();
  standIn.faults.clear();

  const again = await leave();

  expect(failed.response.status).toBe(503);
  const sessions = [...standIn.ledger.sessions.values()].filter(({ account }) => account === shop.account);
  expect(sessions).toHaveLength(1);
  await standIn.press(goesOnTo(again), 'pay');
  await shop.settlePayments();
  expect(await shop.details(order.id)).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
});
