import { expect, onTestFinished } from 'vitest';
import { ORDER } from '../../../test/due-payments.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { mailsTo } from '../../../test/mail.ts';
import { POLICY } from '../../../test/returns.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { arriveAt, inspect, openTab, press } from '../../../test/tab.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { freePort } from '../../db/free-port.ts';

const { played, browser } = inChromium();
const RETURN = '/api/dashboard/returns/{return_id}';

/** A guest's delivered order of two pairs of shoes in size 41 (50.00). Size 42 costs 59.00. Paid with the test card. */
async function givenShoes() {
  const shop = await openShop();
  const { dashboard } = shop;
  await dashboard.PATCH('/api/dashboard/settings', {
    body: {
      name: 'Schuhhaus Linde',
      default_locale: 'de',
      time_zone: 'Europe/Berlin',
      tax_rates: [{ country: 'DE', rate: '0.19' }],
      return_policy: POLICY,
      brand: { accent_color: '#2f5d50', support_email: 'hilfe@schuhhaus.example' },
    },
  });
  const shoes = await shop.givenProduct({
    name: 'Laufschuh Linde',
    price: '50.00',
    options: [{ name: 'Größe', values: ['41', '42'] }],
    variants: [
      { option1: '41', price: '50.00', inventory_quantity: 10 },
      { option1: '42', price: '59.00', inventory_quantity: 10 },
    ],
  });
  const [small, large] = shoes.variants.map(({ id }) => id);
  const email = `anna-${crypto.randomUUID()}@example.com`;
  const content = [{ variant_id: small ?? '', quantity: 2 }];
  const order = await shop.givenOrder({ email, content, payment_method: 'card', card_token: 'tok_success' });
  const at = { params: { path: { order_id: order.id } } };
  await dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: { carrier: 'DHL', tracking_number: '0034' } });
  return {
    shop,
    large: large ?? '',
    /** The link in the mail whose subject contains these words. */
    async linkIn(subject: string) {
      const mails = await mailsTo(shop, email);
      const { html = '' } = mails.findLast((mail) => mail.subject.includes(subject)) ?? {};
      return new URL(/href="([^"#]*\/orders\/ord_\w+)"/.exec(html)?.[1] ?? '').pathname;
    },
    /** The staff approve and receive the newest requested return. Returns its id. */
    async takeBack() {
      const { data } = await dashboard.GET('/api/dashboard/returns', { params: { query: { order_id: order.id } } });
      const asked = data?.returns.find(({ status }) => status === 'requested');
      const of = { params: { path: { return_id: asked?.id ?? '' } } };
      await dashboard.POST(`${RETURN}/approve`, { ...of, body: {} });
      const lines = asked?.lines.map(({ id, quantity }) => ({ id, quantity, condition: 'resellable' as const })) ?? [];
      await dashboard.POST(`${RETURN}/receive`, { ...of, body: { lines } });
      return of;
    },
  };
}

for (const width of [1280, 390]) {
  played(
    `${width} pixels wide, a guest returns one of two pieces, exchanges the other for a dearer size, and pays the difference`,
    async () => {
      const port = await freePort();
      const server = await startServer(databaseUrl(), { baseUrl: `http://127.0.0.1:${port}` }, undefined, port);
      onTestFinished(() => stopServer(server));
      const { shop, large, linkIn, takeBack } = await givenShoes();
      const { page, complaints } = await openTab(browser(), width);
      const look = async (step: string) => {
        await inspect(page, `exchange-${step}-${width}`);
        return String(await page.$eval('main', (main) => main.textContent)).replaceAll(/[\u00a0\u202f]/g, ' ');
      };
      const request = async (reason: string, note: string) => {
        await page.select('select[name^="quantity-"]', '1');
        await page.select('#reason', reason);
        await page.type('#note', note);
        await press(page, 'request_return');
      };

      const old = server.baseUrl + (await linkIn('1001'));
      await page.goto(old);
      await look('1-order');
      await page.type('#proof', '10115');
      await press(page, 'show_address');
      expect(await look('2-form')).toContain('Artikel zurücksenden');
      await request('changed_mind', '');
      expect(await look('3-requested')).toContain('Wir prüfen Ihre Anfrage');
      await request('does_not_fit', 'Bitte in Größe 42 umtauschen.');
      await look('4-both-requested');

      const first = await takeBack();
      await shop.dashboard.POST(`${RETURN}/refund`, { ...first, body: {} });
      const second = await takeBack();
      const { data } = await shop.dashboard.POST(`${RETURN}/exchange`, {
        ...second,
        body: { lines: [{ variant_id: large, quantity: 1 }] },
      });
      expect(data?.order).toMatchObject({ exchange_credit: '50.00', amount_due: '9.00' });

      await page.goto(old);
      await page.type('#proof', '10115');
      await press(page, 'show_address');
      expect(await look('5-closed')).toContain('Zur neuen Bestellung haben Sie eine eigene E-Mail erhalten');
      await page.goto(server.baseUrl + (await linkIn('Bestellung 1002')));
      expect(await look('6-exchange')).toContain('Gutschrift aus Ihrer Rücksendung: 50,00 €');
      await page.type('#proof', '10115');
      await page.click('button[value="pay_due"]');
      await arriveAt(page, /test-payment/);
      await look('7-provider');
      await page.click('button[value="approve"]');
      await arriveAt(page, /\/orders\/ord_\w+$/);
      expect(await look('8-paid')).not.toContain('Noch zu zahlen');
      const params = { path: { order_id: data?.order.id ?? '' } };
      expect((await shop.dashboard.GET(ORDER, { params })).data).toMatchObject({
        amount_due: '0.00',
        payment_status: 'paid',
      });
      expect(complaints).toEqual([]);
    },
  );
}
