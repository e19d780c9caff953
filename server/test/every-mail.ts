import sql from 'sql-template-tag';
import { inShopAsSystem } from '../src/shop/in-shop.ts';
import type { Mails, MailTemplate } from '../src/shop/mail.ts';
import type { Mail } from '../src/shop/mails/rendering.ts';
import { compose } from '../src/shop/mails/templates.ts';
import { fail as failCapture } from '../src/shop/orders/captures.ts';
import { settle } from '../src/shop/orders/refunds.ts';
import { takeDispute } from '../src/shop/orders/reported-disputes.ts';
import { approve, askForConsent } from './agents.ts';
import { givenVariant } from './buying.ts';
import { givenInvoice } from './invoices.ts';
import { openShop } from './shop.ts';

type Abouts = { [Template in MailTemplate]: Mails[Template] };

/** Composes every mail in this language. Each mail is composed before a later event makes it obsolete. */
export async function everyMail(locale: string): Promise<{ template: MailTemplate; mail: Mail }[]> {
  const shop = await openShop();
  const { owner, db, site_id, dashboard } = shop;
  await dashboard.PATCH('/api/dashboard/settings', {
    body: {
      name: 'Alder & Finch',
      default_locale: locale,
      time_zone: 'Europe/Berlin',
      tax_rates: [{ country: 'DE', rate: '0.19' }],
      brand: {
        logo_url: 'https://shop.example/logo.png',
        accent_color: '#2f5d50',
        support_email: 'help@shop.example',
        support_phone: '+49 30 1234567',
      },
      legal: { terms_url: 'https://shop.example/terms', imprint_url: 'https://shop.example/imprint' },
    },
  });
  const written: { template: MailTemplate; mail: Mail }[] = [];
  const write = async <Template extends MailTemplate>(template: Template, about: Mails[Template]) => {
    const mail = await inShopAsSystem(db, site_id, (inside) =>
      compose(inside, 'http://localhost', { site_id, template, about }),
    );
    if (!mail) throw new Error(`There is nothing to say in ${template}.`);
    written.push({ template, mail });
  };

  await writeAccountMails(shop, write);
  await writeStaffMails(shop, write);
  await writeOrderMails(shop, write);
  const { rows } = await owner.query<{ id: string }>(
    sql`insert into commerce.withdrawal_statements (site_id, id, name, email, recipient, contract, locale, client_hash, acknowledge_at)
      values (${site_id}, gen_random_uuid(), 'Jo Doe', 'jo@shop.example', 'jo@shop.example', '1001', ${locale}, '', now()) returning id`,
  );
  const statement_id = rows[0]?.id ?? '';
  await write('withdrawal_stated', { statement_id });
  await owner.query(
    sql`insert into commerce.withdrawals (site_id, id, status) values (${site_id}, ${statement_id}, 'unmatched')`,
  );
  const staff = await owner.query<{ staff_id: string }>(
    sql`select staff_id from commerce.staff_memberships where site_id = ${site_id}`,
  );
  const about = { withdrawal_id: statement_id, staff_id: staff.rows[0]?.staff_id ?? '' };
  await write('new_withdrawal', about);
  await owner.query(
    sql`update commerce.withdrawals set status = 'to_confirm', order_id = (
      select id from commerce.orders where site_id = ${site_id} limit 1) where id = ${statement_id}`,
  );
  await write('new_withdrawal', about);
  await owner.query(sql`delete from graphile_worker._private_jobs where payload ->> 'site_id' = ${site_id}`);
  const missing = Object.keys(TEMPLATES).filter((name) => !written.some(({ template }) => template === name));
  if (missing.length > 0) throw new Error(`Nobody wrote ${missing.join(', ')}.`);
  return written;
}

type OpenShop = Awaited<ReturnType<typeof openShop>>;
type Write = <Template extends MailTemplate>(template: Template, about: Mails[Template]) => Promise<void>;

/** An object with a key for each template, so that the compiler reports a missing one. */
const TEMPLATES: Record<keyof Abouts, true> = {
  registration: true,
  verification: true,
  address_changed_by_staff: true,
  address_change_requested: true,
  address_change: true,
  address_changed: true,
  password_reset: true,
  password_changed: true,
  agent_approved: true,
  order_placed: true,
  new_order: true,
  draft_sent: true,
  payment_reminder: true,
  payment_received: true,
  order_edited: true,
  order_shipped: true,
  order_cancelled: true,
  order_refunded: true,
  refund_sent_back: true,
  document_issued: true,
  return_changed: true,
  withdrawal_stated: true,
  login_delayed: true,
  staff_login_delayed: true,
  staff_invited: true,
  staff_password_reset: true,
  staff_account_changed: true,
  sensitive_change: true,
  webhook_disabled: true,
  low_stock: true,
  new_return: true,
  new_withdrawal: true,
  order_disputed: true,
  capture_failed: true,
  refund_failed: true,
  payment_kept: true,
};

async function writeAccountMails(shop: OpenShop, write: Write): Promise<void> {
  const { owner, site_id, storefront } = shop;
  const newcomer = `new@s${site_id.slice(-8)}.example.com`;
  for (let again = 0; again < 2; again += 1) {
    await storefront.POST('/api/storefront/customer/register', {
      body: { email: newcomer, password: 'correct horse battery staple' },
    });
  }
  const customer = await shop.givenCustomer();
  const { email, id: customer_id } = customer;
  await write('verification', { email: newcomer });
  await write('registration', { email, registration_id: customer_id });
  await write('address_change', { customer_id, email: `other@s${site_id.slice(-8)}.example.com` });
  const neighbour = await shop.givenCustomer();
  await write('address_change', { customer_id, email: neighbour.email });
  await write('address_changed', { former_email: email, customer_id });
  await write('password_reset', { email });
  await write('password_changed', { customer_id });
  await write('login_delayed', { email });
  const { user_code } = await askForConsent(shop, { max_per_order_cents: 5_000 });
  await approve(customer, user_code);
  const consent = await owner.query<{ id: string }>(
    sql`select id from commerce.agent_consents where site_id = ${site_id}`,
  );
  await write('agent_approved', { consent_id: consent.rows[0]?.id ?? '' });
  await owner.query(sql`update commerce.customers set pending_email = 'moved-' || email where id = ${customer_id}`);
  await write('address_changed_by_staff', { customer_id });
  await write('address_change_requested', { customer_id });
  await owner.query(sql`update commerce.customers set email_verified_at = null where id = ${neighbour.id}`);
  await write('verification', { email: neighbour.email });
}

const PROVIDER_REASONS = [
  'expired_or_canceled_card',
  'declined',
  'insufficient_funds',
  'charge_already_refunded',
  'account_not_available',
];

async function writeStaffMails(shop: OpenShop, write: Write): Promise<void> {
  const { db, owner, site_id, dashboard } = shop;
  const { rows } = await owner.query<{ staff_id: string; email: string }>(
    sql`select s.id as staff_id, s.email from commerce.staff s join commerce.staff_memberships m on m.staff_id = s.id
      where m.site_id = ${site_id}`,
  );
  const { staff_id = '', email = '' } = rows[0] ?? {};
  await write('staff_login_delayed', { email });
  const invited = await owner.query<{ id: string }>(
    sql`insert into commerce.staff_invitations (site_id, id, email, role, invited_by, expires_at)
      values (${site_id}, gen_random_uuid(), 'noor@example.com', 'support', ${staff_id}, now() + interval '7 days')
      returning id`,
  );
  await write('staff_invited', { invitation_id: invited.rows[0]?.id ?? '' });
  await write('staff_password_reset', { email });
  for (const change of ['password', 'two_factor_on', 'two_factor_off', 'recovery_codes'] as const) {
    await write('staff_account_changed', { email, change });
  }
  for (const change of ['assistants', 'keys', 'payments', 'settings', 'staff'] as const) {
    await write('sensitive_change', {
      change,
      who: change === 'keys' ? null : staff_id,
      at: '2026-03-02T08:15:00.000Z',
      staff_id,
    });
  }
  for (const reason of ['gone', 'failing']) {
    const webhook = await owner.query<{ id: string }>(
      sql`insert into commerce.webhooks (site_id, id, url, events, status, disabled_reason, secret, secret_hash)
        values (${site_id}, gen_random_uuid(), 'https://erp.example/events', '{order.created}', 'disabled', ${reason}, '', '')
        returning id`,
    );
    await write('webhook_disabled', { webhook_id: webhook.rows[0]?.id ?? '', staff_id });
  }
  const low = await shop.givenProduct({ name: 'Mug', inventory_quantity: 1 });
  await write('low_stock', { variant_ids: low.variants.map(({ id }) => id), count: 3, staff_id });
  await dashboard.PATCH('/api/dashboard/payment-account', { body: { capture: 'manual' } });
  const held = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_authorized' });
  await dashboard.PATCH('/api/dashboard/payment-account', { body: { capture: 'automatic' } });
  const path = { order_id: held.id };
  await dashboard.POST('/api/dashboard/orders/{order_id}/capture', { params: { path }, body: {} });
  const captures = await owner.query<{ id: string; order_id: string; amount: string }>(
    sql`select id, order_id, amount from commerce.payment_moves where site_id = ${site_id}`,
  );
  for (const capture of captures.rows) {
    await inShopAsSystem(db, site_id, (inside) => failCapture(inside, capture, 'account_not_available'));
    await write('capture_failed', { capture_id: capture.id, staff_id });
  }
  const { id: order_id } = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });
  const { data } = await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path: { order_id } },
    body: { amount: '10.00', reason: 'damaged' },
  });
  const refund_id = data?.refund.id ?? '';
  const failed = { status: 'failed', reference: 're_1', reason: 'lost_or_stolen_card' } as const;
  await inShopAsSystem(db, site_id, (inside) => settle(inside, refund_id, failed));
  await write('refund_failed', { refund_id, staff_id });
  await write('refund_sent_back', { order_id, refund_id });
  const paid = await owner.query<{ id: string }>(sql`select id from commerce.payments where order_id = ${order_id}`);
  for (const status of ['open', 'won', 'lost'] as const) {
    const reported = { reference: 'dp_1', status, amount: 500, reason: 'fraudulent', respond_by: new Date() };
    await inShopAsSystem(db, site_id, (inside) => takeDispute(inside, paid.rows[0]?.id ?? '', reported));
    const disputes = await owner.query<{ id: string }>(
      sql`select id from commerce.disputes where site_id = ${site_id}`,
    );
    await write('order_disputed', { dispute_id: disputes.rows[0]?.id ?? '', status, staff_id });
  }
  for (const why of [...PROVIDER_REASONS, null]) {
    await write('payment_kept', { payment_id: await givenKeptPayment(shop, why), staff_id });
  }
}

/** Creates a payment without an order that the provider could not refund. */
async function givenKeptPayment({ owner, site_id }: OpenShop, reason: string | null): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    sql`insert into commerce.payments (site_id, id, checkout_id, provider, status, amount, card_hash, failure_reason)
      select site_id, gen_random_uuid(), checkout_id, 'stripe', 'failed', amount, '', ${reason}
      from commerce.payments where site_id = ${site_id} limit 1 returning id`,
  );
  return rows[0]?.id ?? '';
}

async function writeOrderMails(shop: OpenShop, write: Write): Promise<void> {
  const { dashboard, givenProduct, givenOrder } = shop;
  const mug = await givenProduct({
    name: 'Stoneware mug',
    options: [{ name: 'Glaze', values: ['Slate'] }],
    variants: [{ option1: 'Slate', price: '14.00', inventory_quantity: 5 }],
    images: [{ url: 'https://shop.example/mug.png' }],
  });
  const towel = await givenProduct({
    ...{ name: 'Washed linen tea towel, natural, set of two', price: '18.50', withdrawal_exempt: 'digital' },
  });
  const content = [
    { variant_id: mug.variants[0]?.id ?? '', quantity: 2 },
    { variant_id: towel.variants[0]?.id ?? '', quantity: 1 },
  ];
  const email = `june@s${shop.site_id.slice(-8)}.example.com`;
  const { id: order_id, line_items } = await givenOrder({
    ...{ content, email, note: 'Ring at Okafor, please.', digital_consent_wording: 'I agree.' },
  });
  const params = { path: { order_id } };
  await write('order_placed', { order_id });
  await write('new_order', { order_id, to_shop: true });
  await write('payment_reminder', { order_id });
  const turned = (columns: string) =>
    shop.owner.query(`update commerce.orders set ${columns} where id = $1`, [order_id]);
  await turned(`payment_status = 'pending', payment_method = 'manual', payment_terms_days = 14`);
  await write('payment_reminder', { order_id });
  await turned(`payment_status = 'awaiting_payment', payment_method = 'bank_transfer', payment_terms_days = null`);
  const draft = await dashboard.POST('/api/dashboard/draft-orders', {
    body: { email, lines: [{ variant_id: mug.variants[0]?.id ?? '', quantity: 40 }], note: 'Delivery in two parts.' },
  });
  const draft_order_id = draft.data?.id ?? '';
  await dashboard.POST('/api/dashboard/draft-orders/{draft_order_id}/send', { params: { path: { draft_order_id } } });
  await write('draft_sent', { draft_order_id });
  const part = await dashboard.POST('/api/dashboard/orders/{order_id}/payments', { params, body: { amount: '1.00' } });
  await write('payment_received', { order_id, payment_id: part.data?.payment.id ?? '' });
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await write('payment_received', { order_id });
  const edit = { add: [{ variant_id: towel.variants[0]?.id ?? '', quantity: 1 }] };
  const path = '/api/dashboard/orders/{order_id}/edit';
  const preview = await dashboard.POST(path, { params, body: { ...edit, dry_run: true } });
  const { expected_total = '' } = preview.data ?? {};
  await dashboard.POST(path, { params, body: { ...edit, expected_total } });
  await write('order_edited', { order_id });
  const bankDetails = (details: string) =>
    shop.owner.query(`update commerce.site_settings set bank_details = ${details} where site_id = $1`, [shop.site_id]);
  const { rows } = await shop.owner.query<{ bank_details: object }>(
    sql`select bank_details from commerce.site_settings where site_id = ${shop.site_id}`,
  );
  await bankDetails('null');
  await write('order_edited', { order_id });
  await bankDetails(`'${JSON.stringify(rows[0]?.bank_details)}'`);
  await shop.owner.query(
    `insert into commerce.payment_accounts (site_id, provider, mode, connected_account) values ($1, 'stripe', 'test', 'acct_1')`,
    [shop.site_id],
  );
  await write('order_edited', { order_id });
  await shop.owner.query('delete from commerce.payment_accounts where site_id = $1', [shop.site_id]);
  const sent = await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', {
    params,
    body: {
      items: [{ line_item_id: line_items[0]?.id ?? '', quantity: 1 }],
      carrier: 'DHL',
      tracking_number: '00340434161094042557',
      tracking_url: 'https://dhl.example/00340434161094042557',
    },
  });
  const document_id = await givenInvoice(shop, order_id);
  await write('document_issued', { order_id, document_id });
  await write('order_shipped', { order_id, fulfillment_id: sent.data?.fulfillment.id ?? '' });
  const back = await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: {
      ...{ amount: '20.00', shipping: '1.50', reason: 'damaged' },
      line_items: [{ line_item_id: line_items[1]?.id ?? '', quantity: 1 }],
    },
  });
  await write('order_refunded', { order_id, refund_id: back.data?.refund.id ?? '' });
  const line_item_id = line_items[0]?.id ?? '';
  const returned = await dashboard.POST('/api/dashboard/returns', {
    body: { order_id, lines: [{ line_item_id, quantity: 1, reason: 'does_not_fit' }], fee: '2.00' },
  });
  const return_id = returned.data?.id ?? '';
  await write('return_changed', { order_id, return_id, status: 'approved' });
  for (const status of ['requested', 'approved']) {
    await shop.owner.query(sql`update commerce.returns set status = ${status} where id = ${return_id}`);
    const { rows } = await shop.owner.query<{ staff_id: string }>(
      sql`select staff_id from commerce.staff_memberships where site_id = ${shop.site_id}`,
    );
    await write('new_return', { return_id, staff_id: rows[0]?.staff_id ?? '' });
  }
  await dashboard.POST('/api/dashboard/returns/{return_id}/receive', {
    params: { path: { return_id } },
    body: { lines: [{ id: returned.data?.lines[0]?.id ?? '', quantity: 1, condition: 'damaged' }] },
  });
  await write('return_changed', { order_id, return_id, status: 'received' });
  await dashboard.POST('/api/dashboard/returns/{return_id}/close', {
    params: { path: { return_id } },
    body: { reason: 'The mug was broken.' },
  });
  await write('return_changed', { order_id, return_id, status: 'closed' });
  await writeProvided(shop, write, email);
  const cancelled = await givenOrder({ content: content.slice(1), email });
  await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: cancelled.id } },
    body: { reason: 'customer' },
  });
  await write('order_cancelled', { order_id: cancelled.id });
}

/** Writes the mail about a paid order that contains no shipped goods. */
async function writeProvided(shop: OpenShop, write: Write, email: string): Promise<void> {
  const voucher = await givenVariant(shop, { name: 'Voucher', price: '10.00', requires_shipping: false });
  const content = [{ variant_id: voucher.variant_id, quantity: 1 }];
  const { id: order_id } = await shop.givenOrder({ email, content, shipping_option_id: null });
  const params = { path: { order_id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', { params });
  await write('order_shipped', { order_id, fulfillment_id: data?.fulfillments[0]?.id ?? '' });
}
