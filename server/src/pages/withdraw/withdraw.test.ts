import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { fetchAt } from '../../../test/fetch-at.ts';
import { mailsTo } from '../../../test/mail.ts';
import { PaperBrowser, unescaped } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';
import { matched, moveToEu, withdraw } from '../../../test/withdrawals.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

function textOf(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, '')).replaceAll(/[\u00a0\u202f]/g, ' ');
}

async function givenEuShop(): Promise<Shop> {
  const shop = await openShop();
  await moveToEu(shop);
  return shop;
}

async function givenCustomerOrder(shop: Shop) {
  const product = await shop.givenProduct();
  const customer = await shop.givenCustomer();
  const { email, client } = customer;
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }];
  return { customer, product, order: await shop.givenOrder({ content, client, email }) };
}

function emailOf(): string {
  return `jo-${crypto.randomUUID()}@example.com`;
}

async function statementsOf({ owner, site_id }: Shop) {
  const { rows } = await owner.query<{ name: string; contract: string; items: string | null; delay: number }>(
    sql`select name, contract, items, extract(epoch from acknowledge_at - created_at)::int as delay
      from commerce.withdrawal_statements where site_id = ${site_id} order by acknowledge_at, id`,
  );
  return rows;
}

test('a consumer withdraws in two steps without a login, and gets an acknowledgement with date, time and statement', async () => {
  const shop = await givenEuShop();
  const email = emailOf();

  const { opened, reviewed, sent } = await withdraw(shop, { email, contract: 'A scarf, in May', note: 'The blue one' });

  expect(opened.html).toContain('>Withdraw from contract here</button>');
  expect(opened.response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(opened.html).not.toContain('<script');
  expect(reviewed.html).toContain('>Confirm withdrawal</button>');
  expect(textOf(reviewed.html)).toContain('A scarf, in May');
  expect([sent.response.status, textOf(sent.html)]).toEqual([
    200,
    expect.stringContaining('We have received your withdrawal'),
  ]);
  expect(await statementsOf(shop)).toEqual([
    { name: 'Jo Doe', contract: 'A scarf, in May', items: 'The blue one', delay: 0 },
  ]);
  const [mail, ...others] = await mailsTo(shop, email);
  expect(others).toEqual([]);
  const text = textOf(mail?.html ?? '');
  for (const part of ['A scarf, in May', 'The blue one', 'Jo Doe']) expect(text).toContain(part);
  expect(text).toMatch(/We received it on \w+, \d{1,2} \w+ \d{4}, \d{2}:\d{2}:\d{2} (CET|GMT\+1)/);
});

test.each([
  ['de', 'Vertrag widerrufen', 'Widerruf bestätigen'],
  ['fr', 'Renoncer au contrat ici', 'Confirmer la rétractation'],
])('the withdrawal buttons have the wording of the law in %s', async (locale, first, second) => {
  const shop = await givenEuShop();
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': locale });
  const opened = await browser.open(`/sites/${shop.site_id}/withdraw`);
  const reviewed = await browser.press(opened, 'review', { name: 'Jo', email: emailOf(), contract: '1' });

  expect(opened.html).toContain(`>${first}</button>`);
  expect(reviewed.html).toContain(`>${second}</button>`);
});

test('the withdrawal form names each mistake (422), keeps the input, and stores nothing before the confirmation', async () => {
  const shop = await givenEuShop();
  const browser = new PaperBrowser(shop.baseUrl);
  const opened = await browser.open(`/sites/${shop.site_id}/withdraw`);

  const refused = await browser.press(opened, 'review', { name: 'Jo', email: 'jo@', contract: '', note: 'Hat' });
  const corrected = await browser.press(refused, 'review', { email: emailOf(), contract: '1001' });
  const changed = await browser.press(corrected, 'change');

  expect(refused.response.status).toBe(422);
  expect(textOf(refused.html)).toContain('Enter an e-mail address at which we can reach you.');
  expect(textOf(refused.html)).toContain('Enter the order number, or describe what you ordered and when.');
  for (const { html } of [refused, changed]) expect(html).toMatch(/value="Jo"[\s\S]*Hat/);
  expect(await statementsOf(shop)).toEqual([]);
});

test('confirming a withdrawal twice stores and acknowledges it once', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const browser = new PaperBrowser(shop.baseUrl);
  const opened = await browser.open(`/sites/${shop.site_id}/withdraw`);
  const reviewed = await browser.press(opened, 'review', { name: 'Jo', email, contract: '1001' });

  await Promise.all([browser.press(reviewed, 'confirm'), browser.press(reviewed, 'confirm')]);

  expect(await statementsOf(shop)).toHaveLength(1);
  expect(await mailsTo(shop, email)).toHaveLength(1);
});

test('rejects a withdrawal form from another website (403)', async () => {
  const shop = await givenEuShop();
  const { reviewed } = await withdraw(shop, { email: emailOf() });
  const fields = new URLSearchParams({ name: 'Jo', email: emailOf(), contract: '1', action: 'confirm', csrf: 'x' });

  const { response } = await new PaperBrowser(shop.baseUrl).send(reviewed.path, fields);

  expect(response.status).toBe(403);
  expect(await statementsOf(shop)).toHaveLength(1);
});

test('the acknowledgement of a withdrawal removes links and escapes markup in the statement', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const note = '<a href="https://evil.example">win</a> www.evil.example mail@evil.example\nHTTP://EVIL.EXAMPLE';

  await withdraw(shop, { email, name: 'evil.example/now', contract: 'evil。example', note });

  const [mail] = await mailsTo(shop, email);
  const shown = textOf(mail?.html ?? '');
  expect(shown).toContain('win');
  expect(shown).not.toMatch(/evil[.。]example|https?:\/\/evil|mail@evil/i);
  expect(mail?.html).not.toContain('<a href="https://evil');
});

test('sends five acknowledgements a day to one address immediately, and later ones after a day', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const upper = email.toUpperCase().replace('EXAMPLE.COM', 'example.com');

  await Promise.all(Array.from({ length: 7 }, (_, i) => withdraw(shop, { email: i % 2 ? email : upper })));

  const delays = (await statementsOf(shop)).map(({ delay }) => Math.round(delay / 3600));
  expect(delays).toEqual([0, 0, 0, 0, 0, 24, 24]);
  const sent = [...(await mailsTo(shop, email)), ...(await mailsTo(shop, upper))];
  expect(sent).toHaveLength(5);
  const { rows } = await shop.owner.query(
    sql`select from graphile_worker._private_jobs where payload ->> 'site_id' = ${shop.site_id}
      and payload ->> 'template' = 'withdrawal_stated'`,
  );
  expect(rows).toHaveLength(2);
});

test('sends twenty acknowledgements a day for one client immediately, and later ones after a day', async () => {
  const shop = await givenEuShop();

  for (let i = 0; i < 22; i += 1) await withdraw(shop, { email: emailOf() });

  const delays = (await statementsOf(shop)).map(({ delay }) => Math.round(delay / 3600));
  expect(delays.filter((delay) => delay === 0)).toHaveLength(20);
  expect(delays.filter((delay) => delay === 24)).toHaveLength(2);
});

test("the server's database role can neither change nor delete a withdrawal statement", async () => {
  const shop = await givenEuShop();
  await withdraw(shop, { email: emailOf() });

  for (const change of [
    sql`update withdrawal_statements set name = 'x' where site_id = ${shop.site_id}`,
    sql`delete from withdrawal_statements where site_id = ${shop.site_id}`,
  ]) {
    await expect(inShopAsSystem(shop.db, shop.site_id, (inside) => inside.run(change))).rejects.toThrow(
      'permission denied',
    );
  }
  expect(await statementsOf(shop)).toHaveLength(1);
});

test("the withdrawal page is at /withdraw on the shop's host", async () => {
  const shop = await givenEuShop();
  const host = `withdraw.${shop.site_id}.example`;
  await shop.owner.query('insert into commerce.site_domains (host, site_id, is_primary) values ($1, $2, true)', [
    host,
    shop.site_id,
  ]);
  await shop.hosts.reload();
  const email = emailOf();
  const browser = new PaperBrowser(shop.baseUrl, {}, fetchAt(host));

  const opened = await browser.open('/withdraw');
  const reviewed = await browser.press(opened, 'review', { name: 'Jo', email, contract: '1001' });
  const sent = await browser.press(reviewed, 'confirm');

  expect([opened.response.status, reviewed.path, sent.response.status]).toEqual([200, '/withdraw', 200]);
  expect(await mailsTo(shop, email)).toHaveLength(1);
});

test('a logged-in customer chooses items of their own order in the prefilled withdrawal form', async () => {
  const shop = await givenEuShop();
  const { customer, order, product } = await givenCustomerOrder(shop);
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: product.id } },
    body: { withdrawal_exempt: 'custom_made' },
  });
  const browser = new PaperBrowser(shop.baseUrl);
  const account = await browser.open(`/account?site_id=${shop.site_id}&order=${order.id}`);
  const shown = await browser.press(account, 'log_in', { email: customer.email, password: customer.password });
  const form = await browser.open(/href="([^"]*\/withdraw\?order=[^"]*)"/.exec(shown.html)?.[1] ?? '');

  const reviewed = await browser.press(form, 'review', { name: 'Jo', [`quantity-${order.line_items[0]?.id}`]: '1' });
  await browser.press(reviewed, 'confirm');

  expect(textOf(form.html)).toContain('may be excluded from the right of withdrawal');
  expect(form.html).toContain(`value="${customer.email}"`);
  expect(textOf(form.html)).toMatch(
    /If you select no item, you withdraw from the whole contract.*Not selected.*Further details/s,
  );
  expect(await statementsOf(shop)).toMatchObject([{ contract: order.order_number }]);
  expect(await matched(shop)).toMatchObject([
    { status: 'to_confirm', order_id: order.id, items: `1 × ${product.name}`, lines: [{ quantity: 1 }] },
  ]);
});

test('rejects a withdrawal of items that are no longer in the order (422), and does not extend it to the whole contract', async () => {
  const shop = await givenEuShop();
  const { customer, order } = await givenCustomerOrder(shop);
  const browser = new PaperBrowser(shop.baseUrl);
  const account = await browser.open(`/account?site_id=${shop.site_id}`);
  await browser.press(account, 'log_in', { email: customer.email, password: customer.password });
  const form = await browser.open(`/sites/${shop.site_id}/withdraw?order=${order.id}`);
  const choose = (quantity: string) =>
    browser.press(form, 'review', { name: 'Jo', [`quantity-${order.line_items[0]?.id}`]: quantity });
  const [first, second] = [await choose('1'), await choose('2')];
  await browser.press(first, 'confirm');
  await matched(shop);

  const again = await browser.press(first, 'confirm');
  const refused = await browser.press(second, 'confirm');

  expect([again.response.status, refused.response.status]).toEqual([200, 422]);
  expect(textOf(refused.html)).toContain('The items of the order have changed. Choose again.');
  expect(await statementsOf(shop)).toHaveLength(1);
});

test('the order page links to the prefilled withdrawal form only after the reader enters the e-mail address or postal code', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const product = await shop.givenProduct({ name: 'Secret scarf' });
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }];
  const order = await shop.givenOrder({ email, content });
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const browser = new PaperBrowser(shop.baseUrl);
  const shown = await browser.open(/href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html)?.[1] ?? '');
  const known = await browser.press(shown, 'show_address', { proof: email });
  const [plain = '', passed = ''] = [shown, known].map(({ html }) =>
    unescaped(/<section class="part">\s*<p><a href="([^"]*\/withdraw[^"]*)"/.exec(html)?.[1] ?? ''),
  );

  const form = await browser.open(passed);
  const strange = await browser.open(`${plain}?order=${order.id}`);
  const forged = await browser.open(passed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
  const reviewed = await browser.press(form, 'review', {});
  await browser.press(reviewed, 'confirm');

  expect(plain).toBe(`/sites/${shop.site_id}/withdraw`);
  expect(form.html).toContain('Secret scarf');
  expect(form.html).toContain(`value="${email}"`);
  for (const other of [strange, forged, await new PaperBrowser(shop.baseUrl).open(plain)]) {
    expect(other.response.status).toBe(200);
    expect(other.html).not.toContain('Secret scarf');
    expect(other.html).not.toContain(email);
  }
  expect(await matched(shop)).toMatchObject([{ status: 'to_confirm', order_id: order.id, lines: [{ quantity: 2 }] }]);
});

test('the withdrawal form does not show the e-mail of an order to a reader who has entered only the postal code', async () => {
  const shop = await givenEuShop();
  const email = emailOf();
  const order = await shop.givenOrder({ email });
  const { html = '' } = (await mailsTo(shop, email)).at(-1) ?? {};
  const browser = new PaperBrowser(shop.baseUrl);
  const shown = await browser.open(/href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html)?.[1] ?? '');
  const proof = order.shipping_address?.postal_code ?? '';
  const known = await browser.press(shown, 'show_address', { proof });
  const link = /<section class="part">\s*<p><a href="([^"]*\/withdraw[^"]*)"/.exec(known.html)?.[1];

  const form = await browser.open(unescaped(link ?? ''));

  expect(known.html).not.toContain(email);
  expect(form.html).toContain(order.order_number);
  expect(form.html).not.toContain(email);
});

test('the withdrawal form does not show an order of another customer', async () => {
  const shop = await givenEuShop();
  const { order } = await givenCustomerOrder(shop);
  const { customer } = await givenCustomerOrder(shop);
  const browser = new PaperBrowser(shop.baseUrl);
  const account = await browser.open(`/account?site_id=${shop.site_id}`);
  await browser.press(account, 'log_in', { email: customer.email, password: customer.password });

  const form = await browser.open(`/sites/${shop.site_id}/withdraw?order=${order.id}`);

  expect(form.html).not.toContain(order.order_number);
  expect(form.html).toContain(`value="${customer.email}"`);
});

test('the shop API, llms.txt and the setup list name the withdrawal page, and the setup list warns if the page is off', async () => {
  const shop = await givenEuShop();
  const read = async () => {
    const { data } = await shop.storefront.GET('/api/storefront/shop');
    const setup = await shop.dashboard.GET('/api/dashboard/setup');
    const guide = await (await fetch(`${shop.baseUrl}/sites/${shop.site_id}/llms.txt`)).text();
    const step = setup.data?.items.find(({ code }) => code === 'withdrawal');
    return { path: data?.withdrawal_form_path, done: step?.done, guided: guide.includes('[Withdraw from contract](') };
  };

  const path = `/sites/${shop.site_id}/withdraw`;
  expect(await read()).toEqual({ path, done: true, guided: true });
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { withdrawal_page: false } });
  expect(await read()).toMatchObject({ path: null, done: false });
  expect((await fetch(shop.baseUrl + path)).status).toBe(404);
});

test('a shop that adds delivery to the EU gets the withdrawal page immediately, even without tax settings', async () => {
  const shop = await openShop();
  const path = async () => (await shop.storefront.GET('/api/storefront/shop')).data?.withdrawal_form_path;
  expect(await path()).toBeNull();

  await shop.givenShippingOption({ countries: ['FR'] });

  expect(await path()).toBe(`/sites/${shop.site_id}/withdraw`);
});

test('a shop that does not deliver to the EU has no withdrawal page (404) and no link to it', async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { brand: { support_email: 'help@shop.example' } } });
  const browser = new PaperBrowser(shop.baseUrl);

  const { response } = await browser.open(`/sites/${shop.site_id}/withdraw`);
  const account = await browser.open(`/account?site_id=${shop.site_id}`);

  expect(response.status).toBe(404);
  expect(account.html).toContain('help@shop.example');
  expect(account.html).not.toContain('/withdraw');
});
