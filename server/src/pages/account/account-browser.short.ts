import { expect } from 'vitest';
import { givenAgent } from '../../../test/agents.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { openShop } from '../../../test/shop.ts';
import { inspect, leaveScreenshot, openTab, press } from '../../../test/tab.ts';

const { played, browser } = inChromium();

const PASSWORD = 'correct horse battery staple';

/** Opens a shop with a customer who ordered two products. One was sent, and the other is out of stock. */
async function givenCustomerWithOrder() {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: {
      name: 'Alder & Finch',
      prices_include_tax: true,
      default_tax_rate: '0.19',
      time_zone: 'Europe/Berlin',
      ask_for_marketing: true,
    },
  });
  const customer = await shop.givenCustomer({ email: `june.okafor@s${shop.site_id.slice(-8)}.example.com` });
  const [mug, bowl] = [
    await shop.givenProduct({
      name: 'Stoneware Mug',
      price: '18.00',
      options: [{ name: 'Colour', values: ['Moss'] }],
      variants: [{ option1: 'Moss', price: '18.00', inventory_quantity: 9 }],
    }),
    await shop.givenProduct({ name: 'Serving Bowl with a long name, hand-thrown', price: '46.50' }),
  ];
  const content = [mug, bowl].map(({ variants }, i) => ({ variant_id: variants[0]?.id ?? '', quantity: 2 - i }));
  const order = await shop.givenOrder({ content, client: customer.client });
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: bowl.id } },
    body: { status: 'archived' },
  });
  return { ...shop, customer, order };
}

for (const [width, locale] of [
  [1280, 'de'],
  [375, 'fr'],
] as const) {
  played(
    `without script, ${width} pixels wide, in ${locale}, a customer views an order and orders it again`,
    async () => {
      const { baseUrl, site_id, customer, order, dashboard } = await givenCustomerWithOrder();
      const { page, complaints } = await openTab(browser(), width);
      await page.setExtraHTTPHeaders({ 'Accept-Language': locale });
      const look = async (step: string) => {
        await inspect(page, `account-${step}-${locale}-${width}`);
        expect(await page.$eval('html', ({ lang }) => lang)).toBe(locale);
      };
      const follow = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);

      await page.goto(`${baseUrl}/account?site_id=${site_id}`);
      await look('1-login');
      await follow('a[href$="login=register"]');
      await look('2-register');
      await press(page, 'register');
      await look('3-register-mistakes');
      await follow(`main a[href$="${site_id}"]`);
      await follow('a[href$="login=forgot"]');
      await look('4-forgot');
      await page.type('#email', customer.email);
      await press(page, 'request_reset');
      await look('5-forgot-sent');
      await follow('a.button');
      await page.type('#email', customer.email);
      await page.type('#password', PASSWORD);
      await press(page, 'log_in');
      await look('6-account');
      await follow(`a[href$="order=${order.id}"]`);
      await look('7-order-unpaid');

      const params = { path: { order_id: order.id } };
      await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
      await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
        params,
        body: {
          carrier: 'DHL',
          tracking_number: '00340434161094',
          tracking_url: 'https://track.example/00340434161094',
        },
      });
      await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
        params,
        body: { amount: '5.00', reason: 'damaged' },
      });
      await page.reload();
      await look('8-order-sent');
      await press(page, 'reorder');
      await look('9-again');
      await press(page, 'reorder');
      await look('10-checkout');
      expect(page.url()).toContain('/checkout/chk_');

      await page.goto(`${baseUrl}/account?site_id=${site_id}&view=profile`);
      await press(page, 'log_out_everywhere');
      expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
      expect(complaints).toEqual([expect.stringContaining('422')]);
    },
  );
}

for (const [width, locale] of [
  [390, 'de'],
  [1280, 'fr'],
] as const) {
  played(
    `without script, ${width} pixels wide, in ${locale}, a customer manages addresses, profile and assistants, and deletes the account`,
    async () => {
      const shop = await givenCustomerWithOrder();
      const { baseUrl, site_id, customer } = shop;
      const address = { address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };
      const body = { first_name: 'June', last_name: 'Okafor', ...address };
      await customer.client.POST('/api/storefront/customer/me/addresses', { body });
      await givenAgent(shop, customer, { agent_name: 'Shopping assistant' });
      const { page, complaints } = await openTab(browser(), width);
      await page.setExtraHTTPHeaders({ 'Accept-Language': locale });
      const look = async (step: string) => {
        await inspect(page, `profile-${step}-${locale}-${width}`);
        expect(await page.$$eval('.sections [aria-current="page"]', (links) => links.length)).toBe(1);
      };
      const follow = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
      const section = (view: string) => follow(`.sections a[href$="view=${view}"]`);

      await page.goto(`${baseUrl}/account?site_id=${site_id}`);
      await page.type('#email', customer.email);
      await page.type('#password', PASSWORD);
      await press(page, 'log_in');
      await look('1-orders');
      await section('addresses');
      await follow('a[href$="view=address"]');
      await press(page, 'save_address');
      await look('2-address-mistakes');
      for (const [field, value] of Object.entries({ last_name: 'Okafor', address1: 'Office 1', city: 'Berlin' })) {
        await page.type(`#${field}`, value);
      }
      await page.type('#postal_code', '10117');
      await press(page, 'save_address');
      await look('3-addresses');
      await section('profile');
      await look('4-profile');
      await page.click('details:has([value="change_password"]) summary');
      await page.type('#current_password', 'wrong');
      await page.type('#new_password', 'short');
      await press(page, 'change_password');
      await look('5-password-mistakes');
      await section('assistants');
      await look('6-assistants');
      await section('profile');
      await follow('a[href$="view=delete"]');
      await look('7-delete');
      await page.type('#password_for_deletion', PASSWORD);
      await press(page, 'delete_account');
      await leaveScreenshot(page, `profile-8-deleted-${locale}-${width}`);
      expect((await customer.client.GET('/api/storefront/customer/me')).response.status).toBe(401);
      expect(complaints.filter((text) => !/422|401/.test(text))).toEqual([]);
    },
  );
}
