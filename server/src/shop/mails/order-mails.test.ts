import { expect, test } from 'vitest';
import { mailsTo } from '../../../test/mail.ts';
import { openShop } from '../../../test/shop.ts';
import { inShopAsSystem } from '../in-shop.ts';
import { compose } from './templates.ts';

const plain = (html: string) => html.replaceAll(/[\u00a0\u202f]/g, ' ');

/** Orders two mugs by bank transfer in the given language. Returns the order and the mails to its buyer. */
async function givenOrder(locale: string) {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: {
      name: 'Alder & Finch',
      bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' },
      time_zone: 'Europe/Berlin',
      brand: { accent_color: '#2f5d50', support_email: 'help@shop.example', support_phone: '+49 30 1234567' },
      legal: { terms_url: 'https://shop.example/terms', imprint_url: 'https://shop.example/imprint' },
    },
  });
  const option = await shop.givenShippingOption({ countries: ['DE'] });
  const product = await shop.givenProduct({
    name: 'Stoneware mug',
    price: '14.00',
    inventory_quantity: 5,
    images: [{ url: 'https://shop.example/mug.jpg' }],
  });
  const cart = await shop.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 2 }]);
  const email = `june@s${shop.site_id.slice(-8)}.example.com`;
  const { data: checkout } = await shop.storefront.POST('/api/storefront/checkout', {
    body: { cart_id: cart.id, locale },
  });
  const params = { path: { checkout_id: checkout?.id ?? '' } };
  const address = { first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' };
  await shop.storefront.PATCH('/api/storefront/checkout/{checkout_id}', {
    params,
    body: {
      email,
      shipping_address: { ...address, postal_code: '10115', country: 'DE' },
      shipping_option_id: option.id,
      payment_method: 'bank_transfer',
    },
  });
  const done = await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} });
  const order_id = done.data?.order.id ?? '';
  const newest = async () => (await mailsTo(shop, email)).at(-1) ?? { head: '', subject: '', html: '', token: '' };
  return { ...shop, email, order_id, order: done.data?.order, newest };
}

test('an order mail has the language of the order, its number, items, amounts and address, the next step and the brand', async () => {
  const { newest, order } = await givenOrder('de');

  const { subject, html } = await newest();

  expect(subject).toBe(`Ihre Bestellung ${order?.order_number} bei Alder &amp; Finch`);
  expect(html).toContain('<html lang="de">');
  for (const text of [
    'Vielen Dank für Ihre Bestellung</h1>',
    order?.order_number,
    'src="https://shop.example/mug.jpg"',
    '2 × Stoneware mug',
    '28,00 €',
    '32,90 €',
    'DE89 3704 0044 0532 0130 00',
    'Bitte überweisen Sie den Betrag bis ',
    'Lindenallee 7',
    '10115 Berlin',
    'Deutschland',
    'background:#2f5d50',
    'Antworten Sie auf diese E-Mail',
  ]) {
    expect(plain(html)).toContain(text);
  }
  expect(html).toMatch(/<a href="https:\/\/shop\.example\/imprint"[^>]*>Impressum<\/a>/);
  expect(html).not.toMatch(/<link|@import|url\(/);
  expect(html.length).toBeLessThan(20_000);
});

test('sends separate mails for payment, parcel and refund', async () => {
  const { dashboard, order_id, order, newest } = await givenOrder('fr');
  const params = { path: { order_id } };
  const line_item_id = order?.line_items[0]?.id ?? '';
  const ship = async () => {
    await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
      params,
      body: {
        items: [{ line_item_id, quantity: 1 }],
        carrier: 'DHL',
        tracking_number: '00340',
        tracking_url: 'https://dhl.example/00340',
      },
    });
    return newest();
  };

  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  const paid = await newest();
  const shipped = await ship();
  const last = await ship();
  await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '10.00', reason: 'damaged' },
  });
  const refunded = await newest();

  const number = order?.order_number;
  expect(paid.subject).toBe(`Nous avons reçu votre paiement pour la commande ${number}`);
  expect(shipped.subject).toBe(`Votre commande ${number} est en route`);
  for (const text of ['href="https://dhl.example/00340"', 'DHL', '00340', '1 sur 2 × Stoneware mug']) {
    expect(shipped.html).toContain(text);
  }
  expect(shipped.html).toContain('Le reste de votre commande suivra dans un autre colis.');
  expect(last.html).toContain('Toute votre commande est maintenant en route.');
  expect(plain(refunded.subject)).toBe(`Nous vous avons remboursé 10,00 € pour la commande ${number}`);
  expect(refunded.html).toContain('Le remboursement se fait par virement.');
  for (const { html } of [paid, shipped, refunded]) tellsOrder(html, number, ['Lindenallee 7', 'Voir votre commande']);
});

/** Expects the parts that every order mail contains. */
function tellsOrder(html: string, number: string | undefined, more: string[] = []): void {
  for (const text of [
    number,
    'src="https://shop.example/mug.jpg"',
    'Stoneware mug',
    '28,00 €',
    '32,90 €',
    '10115 Berlin',
  ]) {
    expect(plain(html)).toContain(text);
  }
  for (const text of [...more, '/orders/ord_']) expect(html).toContain(text);
}

test('a cancellation mail states that the money is owed, being refunded, refunded or was never charged', async () => {
  const { dashboard, order_id, order, newest, givenOrder: another, ...shop } = await givenOrder('de');
  const params = { path: { order_id } };
  const cancel = (id: string) =>
    dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
      params: { path: { order_id: id } },
      body: { reason: 'customer' },
    });
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '10.00', reason: 'damaged' },
  });
  await cancel(order_id);
  const paid = await newest();
  const email = `july@s${shop.site_id.slice(-8)}.example.com`;
  const told: string[] = [];
  for (const card_token of [undefined, 'tok_authorized', 'tok_success']) {
    const { id } = await another({ email, ...(card_token && { payment_method: 'card', card_token }) });
    await cancel(id);
    told.push(plain((await mailsTo(shop, email)).at(-1)?.html ?? ''));
  }
  const queued = { site_id: shop.site_id, template: 'order_placed', about: { order_id } } as const;
  const overtaken = await inShopAsSystem(shop.db, shop.site_id, (inside) =>
    compose(inside, 'http://localhost', queued),
  );

  expect(paid.subject).toBe(`Ihre Bestellung ${order?.order_number} wurde storniert`);
  expect(plain(paid.html)).toContain('Wir haben Ihnen 10,00 € erstattet.');
  expect(plain(paid.html)).toContain('Wir erstatten Ihnen 22,90 €.');
  tellsOrder(paid.html, order?.order_number, ['Lindenallee 7']);
  expect(told[0]).toContain('We have not received a payment. Please do not transfer the amount any more.');
  expect(told[1]).toContain('You have not been charged.');
  expect(told[2]).toContain('We will refund you €14.90.');
  expect(overtaken).toBeUndefined();
});

test('mails new orders to the staff if the shop has no e-mail address', async () => {
  const shop = await openShop();
  const { order_number } = await shop.givenOrder();
  const { rows } = await shop.owner.query<{ email: string }>(
    `select s.email from commerce.staff s join commerce.staff_memberships m on m.staff_id = s.id where m.site_id = $1`,
    [shop.site_id],
  );

  expect(rows.length).toBeGreaterThan(0);
  for (const { email } of rows) {
    const mails = await mailsTo(shop, email);
    expect(mails.map(({ subject }) => plain(subject))).toContain(`New order ${order_number}: €14.90`);
  }
});

test('mails new orders to the shop in its language, with the customer as reply address, unless this is switched off', async () => {
  const shop = await openShop();
  const support_email = `shop@s${shop.site_id.slice(-8)}.example.com`;
  const settings = { default_locale: 'fr', brand: { support_email } };
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: settings });
  const told = async () => mailsTo(shop, support_email);

  const { order_number } = await shop.givenOrder();
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { mail_new_orders: false } });
  await shop.givenOrder();

  const mails = await told();
  expect(mails.map(({ subject }) => plain(subject))).toEqual([`Nouvelle commande ${order_number} : 14,90 €`]);
  expect(mails[0]?.head).toMatch(/^Reply-To: june@example.com$/m);
  for (const text of [
    'june@example.com',
    'Lindenallee 7',
    'Virement bancaire : pas encore reçu',
    'Détails de la commande',
  ]) {
    expect(plain(mails[0]?.html ?? '')).toContain(text);
  }
  expect(plain(mails[0]?.html ?? '')).not.toContain('Votre commande');
  expect(mails[0]?.html).not.toContain('/orders/ord_');
});
