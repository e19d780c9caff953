import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { databaseUrl } from '../../../test/worker-database.ts';

import { inShopAsSystem } from '../../shop/in-shop.ts';
import { compose } from '../../shop/mails/templates.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const plain = (html: string) => unescaped(html).replaceAll(/[\u00a0\u202f]/g, ' ');

/** The link in the newest mail to an e-mail address. */
async function newestLink(shop: OpenShop, email: string): Promise<string> {
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const [, link = ''] = /href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html) ?? [];
  return link;
}

/** Places a guest order. Returns it with the link in its confirmation mail. */
async function givenGuestsOrder(shop?: OpenShop, client?: OpenShop['storefront']) {
  const opened = shop ?? (await openShop());
  const email = `june-${crypto.randomUUID()}@example.com`;
  const order = await opened.givenOrder({ email, ...(client && { client }) });
  return { ...opened, order, email, link: await newestLink(opened, email) };
}

test('after an edit that adds an item to a paid order, the mail and the order page show how to transfer the difference', async () => {
  const shop = await givenGuestsOrder();
  const { dashboard, order, email, baseUrl } = shop;
  const at = { params: { path: { order_id: order.id } } };
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', at);
  const { variants } = await shop.givenProduct({ name: 'Lid', price: '12.50' });
  const add = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const body = { add, expected_total: '27.40' };
  await dashboard.POST('/api/dashboard/orders/{order_id}/edit', { ...at, body });

  const mail = (await mailsTo(shop, email)).at(-1);
  expect(mail?.subject).toBe(`Your order ${order.order_number} was changed`);
  for (const text of [
    '€12.50 remains to be paid. Please transfer',
    'DE89 3704 0044 0532 0130 00',
    order.order_number,
  ]) {
    expect(plain(mail?.html ?? '')).toContain(text);
  }
  const page = await new PaperBrowser(baseUrl).open(await newestLink(shop, email));
  expect(plain(page.html)).toContain('Please transfer');
  expect(page.html).toContain(`IBAN DE89370400440532013000\nEUR 12.50\nReference ${order.order_number}`);

  await dashboard.POST('/api/dashboard/orders/{order_id}/payments', { ...at, body: { amount: '12.50' } });
  const paid = await new PaperBrowser(baseUrl).open(await newestLink(shop, email));
  expect(plain(paid.html)).not.toContain('Please transfer');
});

const STREET = 'Lindenallee 7';

test('the link in a mail shows the order, but street and e-mail address only after the reader enters e-mail or postal code', async () => {
  const { baseUrl, dashboard, order, email, link, site_id } = await givenGuestsOrder();
  await dashboard.PATCH('/api/dashboard/settings', {
    body: { name: 'Alder & Finch', legal: { imprint_url: 'https://shop.example/imprint' } },
  });
  const browser = new PaperBrowser(baseUrl);

  const shown = await browser.open(link);
  const wrong = await browser.press(shown, 'show_address', { proof: '10116' });
  const empty = await browser.press(shown, 'show_address', { proof: '' });
  const byCode = await browser.press(shown, 'show_address', { proof: ' 1011 5 ' });
  const byEmail = await browser.press(shown, 'show_address', { proof: email.toUpperCase() });
  const again = await browser.open(link);

  expect(new URL(link).pathname).toMatch(new RegExp(`^/sites/${site_id}/orders/ord_[0-9A-Za-z]{38}$`));
  expect(shown.response.status).toBe(200);
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })) {
    expect(shown.response.headers.get(name)).toBe(value);
  }
  for (const text of [
    `Order ${order.order_number}`,
    'Alder & Finch',
    '1 × €10.00',
    '€14.90',
    'Bank transfer: not yet received',
    'DE89 3704 0044 0532 0130 00',
    'class="qr-code"',
    'Berlin',
    'Germany',
    'href="https://shop.example/imprint"',
  ]) {
    expect(plain(shown.html.replaceAll(/<\/?(?:span|data|strong)[^>]*>/g, ''))).toContain(text);
  }
  for (const page of [shown, wrong, empty, again]) {
    for (const secret of [STREET, 'Okafor', '10115', email]) expect(page.html).not.toContain(secret);
  }
  expect([wrong, empty].map(({ response }) => response.status)).toEqual([422, 422]);
  expect(wrong.html).toContain('neither the e-mail address nor a postal code');
  for (const page of [byCode, byEmail]) {
    expect(page.response.status).toBe(200);
    expect(page.html).toContain(STREET);
  }
});

test('the order page shows parcels, refunds and the amount due, and the links of earlier mails still work', async () => {
  const shop = await openShop();
  const { baseUrl, dashboard, order, email, link } = await givenGuestsOrder(shop);
  const params = { path: { order_id: order.id } };
  const look = async (address: string) => plain((await new PaperBrowser(baseUrl).open(address)).html);

  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '2.00', reason: 'other' },
  });
  await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params,
    body: { carrier: 'DHL', tracking_number: '00340', tracking_url: 'https://dhl.example/00340' },
  });
  const links = new Set((await mailsTo(shop, email)).map(({ html }) => /\/orders\/(ord_\w+)/.exec(html)?.[1]));
  const sent = await look(link);
  const other = await givenGuestsOrder(shop);
  const others = { path: { order_id: other.order.id } };
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: others, body: {} });
  await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params: others, body: { reason: 'other' } });

  // The links are in the mails about the order, the parcel and the refund. No mail about the payment is sent.
  expect(links.size).toBe(3);
  expect(sent).toContain('href="https://dhl.example/00340"');
  expect(sent).toMatch(/€2.00<\/data> was refunded on/);
  expect(await look(await newestLink(shop, email))).toContain('00340');
  expect(await look(other.link)).toMatch(/We still owe you <data value="14.90">€14.90/);

  const card = await shop.givenOrder({ email, payment_method: 'card', card_token: 'tok_success' });
  const cancelled = { params: { path: { order_id: card.id } }, body: { reason: 'other' as const, refund: true } };
  await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', cancelled);
  // Delays the job, so that the provider is not called during the test.
  await shop.owner.query(
    sql`update graphile_worker._private_jobs set run_at = now() + interval '1 day' where payload ->> 'site_id' = ${shop.site_id}
      and payload ->> 'move_id' is not null`,
  );
  const onItsWay = await look(await newestLink(shop, email));
  expect(onItsWay).toMatch(/€14.90<\/data> is being refunded/);
  expect(onItsWay).not.toContain('We still owe you');
});

test("an order link expires 90 days after the order's last status change, even if a note is added later", async () => {
  const shop = await openShop();
  const { baseUrl, dashboard, owner, order, link } = await givenGuestsOrder(shop);
  const params = { path: { order_id: order.id } };
  const age = (interval: string) =>
    owner.query(sql`with aged as (update commerce.orders set created_at = now() - ${interval}::interval,
        payment_due_at = now() + interval '1 day' where id = ${order.id})
      update commerce.order_events set created_at = now() - ${interval}::interval where order_id = ${order.id}`);
  const status = async () => (await new PaperBrowser(baseUrl).open(link)).response.status;

  await age('89 days 23 hours');
  expect(await status()).toBe(200);
  await age('90 days');
  await dashboard.PATCH('/api/dashboard/orders/{order_id}', { params, body: { staff_note: 'Called.' } });
  const ended = await new PaperBrowser(baseUrl).open(link);
  expect(ended.response.status).toBe(410);
  expect(ended.html).toContain('This link has expired');
  expect(ended.html).not.toContain(order.order_number);
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  expect(await status()).toBe(200);
});

test('the order page shows the addresses after the reader enters the billing postal code', async () => {
  const shop = await openShop();
  const email = `june-${crypto.randomUUID()}@example.com`;
  const billing_address = {
    ...{ first_name: 'June', last_name: 'Okafor', address1: 'Kastanienallee 3' },
    ...{ postal_code: '20095', city: 'Hamburg', country: 'DE' },
  };
  await shop.givenOrder({ email, billing_address });
  const browser = new PaperBrowser(shop.baseUrl);
  const page = await browser.open(await newestLink(shop, email));

  const shown = await browser.press(page, 'show_address', { proof: '20095' });

  expect(page.html).not.toContain('Kastanienallee 3');
  expect(shown.response.status).toBe(200);
  for (const street of [STREET, 'Kastanienallee 3']) expect(shown.html).toContain(street);
});

test("erasing a customer or closing the account invalidates the links to the customer's orders", async () => {
  const shop = await openShop();
  const { baseUrl, dashboard } = shop;
  const [erased, closed, neighbour] = [
    await shop.givenCustomer(),
    await shop.givenCustomer(),
    await shop.givenCustomer(),
  ];
  const orders = [];
  for (const { client } of [erased, closed, neighbour]) orders.push(await givenGuestsOrder(shop, client));
  for (const { order } of orders) {
    const params = { path: { order_id: order.id } };
    await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'other' } });
  }

  await dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id: erased.id } },
  });
  await closed.client.DELETE('/api/storefront/customer/me', {});

  const statuses = [];
  for (const { link } of orders) statuses.push((await new PaperBrowser(baseUrl).open(link)).response.status);
  expect(statuses).toEqual([404, 404, 200]);
});

test('erasing a customer also erases their guest orders, and closing the account only invalidates the links', async () => {
  const shop = await openShop();
  const { baseUrl, dashboard, owner } = shop;
  const linked = async (customer: { email: string }) => {
    const email = customer.email.replace(/^c/, 'C');
    const { id } = await shop.givenOrder({ email, note: 'Ring at Okafor.' });
    return { id, link: await newestLink(shop, email) };
  };
  const [erased, closed] = [await shop.givenCustomer(), await shop.givenCustomer()];
  const orders = [await linked(erased), await linked(closed)];
  const erase = () =>
    dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
      params: { path: { customer_id: erased.id } },
    });

  const open = await erase();
  for (const { id } of orders) {
    const params = { path: { order_id: id } };
    await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'other' } });
  }
  await erase();
  await closed.client.DELETE('/api/storefront/customer/me', {});

  expect(open.error).toMatchObject({ error: 'customer_has_open_orders' });
  for (const { link } of orders) {
    expect(link).not.toBe('');
    expect((await new PaperBrowser(baseUrl).open(link)).response.status).toBe(404);
  }
  const { rows } = await owner.query(
    sql`select o.customer_id, o.email, o.note, o.shipping_address, c.email as checkout_email, c.shipping_address as checkout_address
      from commerce.orders o join commerce.checkouts c on c.id = o.checkout_id where o.id = ${orders[0]?.id}`,
  );
  expect(rows).toEqual([
    {
      customer_id: erased.id,
      email: null,
      note: null,
      shipping_address: { country: 'DE' },
      checkout_email: null,
      checkout_address: null,
    },
  ]);
});

test('does not send a queued mail or create its link if the customer is erased first', async () => {
  const shop = await openShop();
  const { db, owner, site_id, order } = await givenGuestsOrder(shop);
  const linksOf = async () =>
    (await owner.query(sql`select from commerce.order_links where order_id = ${order.id}`)).rowCount;
  const before = await linksOf();
  const erasure = await owner.connect();
  await erasure.query('begin');
  await erasure.query(sql`select from commerce.orders where id = ${order.id} for update`);

  const about = { order_id: order.id };
  const mail = inShopAsSystem(db, site_id, (inside) =>
    compose(inside, 'http://localhost', { site_id, template: 'order_placed', about }),
  );
  const waiting = async () => {
    const { rowCount } = await owner.query(
      `select from pg_stat_activity where query like '%into order_links%' and wait_event_type = 'Lock'`,
    );
    return rowCount;
  };
  await expect.poll(waiting).toBeGreaterThan(0);
  await erasure.query(sql`update commerce.orders set email = null where id = ${order.id}`);
  await erasure.query('commit');
  erasure.release();

  expect(await mail).toBeUndefined();
  expect(await linksOf()).toBe(before);
});

test('answers 429 after five wrong answers per order in 15 minutes, across links and servers, and does not count correct ones', async () => {
  const shop = await openShop();
  const { baseUrl, dashboard, order, email, link, site_id } = await givenGuestsOrder(shop);
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', {
    params: { path: { order_id: order.id } },
    body: {},
  });
  const second = await newestLink(shop, email);
  const limited = await Promise.all([1, 2].map(() => startServer(databaseUrl(), { rateLimits: true }, databaseUrl())));
  try {
    const [here = '', there = ''] = limited.map((server) => server.baseUrl);
    const answerAt = async (origin: string, address: string, answer: string) => {
      const browser = new PaperBrowser(origin);
      return browser.press(await browser.open(address), 'show_address', { proof: answer });
    };
    for (let good = 0; good < 7; good += 1) await answerAt(here, link, '10115');
    const guesses = Array.from({ length: 12 }, (_, i) =>
      answerAt(i % 2 ? here : there, i % 3 ? link : second, `2000${i}`),
    );
    const statuses = (await Promise.all(guesses)).map(({ response }) => response.status).sort();
    const late = await answerAt(there, second, '10115');

    expect(second).not.toBe(link);
    expect(statuses).toEqual([...Array(5).fill(422), ...Array(7).fill(429)]);
    expect([late.response.status, late.html.includes(STREET)]).toEqual([429, false]);
    expect(Number(late.response.headers.get('Retry-After'))).toBeGreaterThan(800);
    // The order is still shown, and other orders are not affected.
    expect((await new PaperBrowser(here).open(link)).response.status).toBe(200);
    const neighbour = await givenGuestsOrder(shop);
    expect((await answerAt(here, neighbour.link, '10115')).html).toContain(STREET);
    const foreign = link.replace(site_id, (await openShop()).site_id);
    expect((await new PaperBrowser(baseUrl).open(foreign)).response.status).toBe(404);
    expect((await new PaperBrowser(baseUrl).open(`${link.slice(0, -1)}~`)).response.status).toBe(404);
  } finally {
    await Promise.all(limited.map(stopServer));
  }
});
