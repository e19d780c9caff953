import { expect, test } from 'vitest';
import { mailsTo, type ReceivedMail } from '../../test/mail.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { membersFor } from '../shop/mail.ts';
import { tellLowStock } from '../shop/stock/low-stock.ts';

/** All mails except those about sensitive changes of settings, which cannot be switched off. */
const others = (mails: ReceivedMail[]) =>
  mails.filter(({ subject }) => !/^Security-related|^Sicherheitsrelevante/.test(subject));

const notifications = '/api/dashboard/me/notifications';
const settings = '/api/dashboard/settings';

test('a staff member gets only the mails they subscribed to, and other recipients still get theirs', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const email = shop.credentials.staff.email;
  const state = async () => (await staff.GET(notifications)).data;
  expect(await state()).toEqual({ new_order: true, low_stock: true, webhook_disabled: true, language: null });

  const support_email = `help@s${shop.site_id.slice(-8)}.example.com`;
  await shop.dashboard.PATCH(settings, { body: { brand: { support_email } } });
  expect(await state()).toMatchObject({ new_order: false });
  await shop.givenOrder();
  expect(others(await mailsTo(shop, email))).toEqual([]);
  expect(await mailsTo(shop, support_email)).toHaveLength(1);

  const { data } = await staff.PATCH(notifications, { body: { new_order: true, webhook_disabled: false } });
  expect(data).toEqual({ new_order: true, low_stock: true, webhook_disabled: false, language: null });
  const { id } = await shop.givenOrder();
  expect(await mailsTo(shop, support_email)).toHaveLength(2);
  const [mail] = others(await mailsTo(shop, email));
  expect(mail?.html).toContain(`http://localhost/panel/orders/${id}`);
  const wanting = (template: 'webhook_disabled' | 'refund_failed') =>
    inShopAsSystem(shop.db, shop.site_id, (inside) => membersFor(inside, template));
  expect(await wanting('webhook_disabled')).toEqual([]);
  expect(await wanting('refund_failed')).toHaveLength(1);

  const { error, response } = await staff.PATCH(notifications, { body: { new_order: 'no' as never } });
  expect([response.status, JSON.stringify(error)]).toEqual([422, expect.stringContaining('"new_order"')]);
  expect((await shop.dashboard.GET(notifications)).response.status).toBe(401);
});

test('a staff member chooses a language for the panel of one shop, and other members keep theirs', async () => {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const language = async () => (await staff.GET('/api/dashboard/me')).data?.language;
  expect(await language()).toBeNull();

  const { data } = await staff.PATCH(notifications, { body: { language: 'fr' } });
  expect(data).toMatchObject({ language: 'fr', low_stock: true });
  expect(await language()).toBe('fr');
  await staff.PATCH(notifications, { body: { low_stock: false } });
  expect(await language()).toBe('fr');

  const { rows } = await shop.owner.query(
    'select staff_id, language from commerce.staff_memberships where language is not null and site_id = $1',
    [shop.site_id],
  );
  expect(rows).toHaveLength(1);
  expect((await shop.dashboard.GET('/api/dashboard/me')).data).toMatchObject({ staff: null, language: null });
  const { error, response } = await staff.PATCH(notifications, { body: { language: 'it' as never } });
  expect([response.status, JSON.stringify(error)]).toEqual([422, expect.stringContaining('"language"')]);
});

test('reports low stock in one delayed mail, which omits products whose stock has recovered', async () => {
  const shop = await openShop();
  const email = shop.credentials.staff.email;
  await shop.dashboard.PATCH(settings, { body: { default_locale: 'de', mail_new_orders: false } });
  const given = async (name: string, inventory_quantity: number) =>
    (await shop.givenProduct({ name, inventory_quantity })).variants[0]?.id ?? '';
  const [mug, bowl, vase, empty] = [
    await given('Mug', 6),
    await given('Bowl', 7),
    await given('Vase', 6),
    await given('Jar', 0),
  ];
  expect(empty).not.toBe('');
  const content = [
    { variant_id: mug, quantity: 2 },
    { variant_id: bowl, quantity: 7 },
    { variant_id: vase, quantity: 1 },
  ];
  await shop.givenOrder({ content });
  const queued = () =>
    shop.owner.query(
      `select j.run_at > now() + interval '10 minutes' as later from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'tell_low_stock' and j.payload ->> 'site_id' = $1`,
      [shop.site_id],
    );
  expect((await queued()).rows).toEqual([{ later: true }]);
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id: vase } },
    body: { delta: 20, reason: 'received' },
  });

  for (let twice = 0; twice < 2; twice += 1) await inShopAsSystem(shop.db, shop.site_id, tellLowStock);
  const mails = others(await mailsTo(shop, email));
  expect(mails.map(({ subject }) => subject)).toEqual([expect.stringMatching(/^Niedriger Bestand bei .*: 2 Artikel$/)]);
  const html = mails[0]?.html ?? '';
  for (const text of ['Bowl', 'noch 0', 'Mug', 'noch 4', 'http://localhost/panel/stock']) expect(html).toContain(text);
  expect(html).not.toMatch(/Vase|Jar/);
});
