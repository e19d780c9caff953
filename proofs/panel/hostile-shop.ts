import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../server/src/shop/passwords/passwords.ts';
import { fillIn, furnish } from '../pages/page-shops.ts';
import { textsOf } from '../pages/scripting.ts';
import { openAgent } from '../testing/agents.ts';
import { exchange } from '../testing/raw-requests.ts';
import type { OpenShop, Premises } from '../testing/test-server.ts';

/** A shop with data for each screen of the panel, in which every text is a payload. */
export interface Stocked {
  shop: OpenShop;
  owner: Login;
  ids: Record<
    | 'order'
    | 'return'
    | 'withdrawal'
    | 'draft_order'
    | 'agent_token'
    | 'product'
    | 'collection'
    | 'customer'
    | 'discount'
    | 'webhook'
    | 'assistant_action',
    string
  >;
  /** The texts that were written, to search for them on the screens. */
  written: string[];
}

export interface Login {
  email: string;
  password: string;
}

const PASSWORD = 'a password of the proofs';
let passwordHash: Promise<string> | undefined;

/** Fills a new shop with payloads. In each round, each place gets another payload. */
export async function stock(premises: Premises, payloads: string[], round: number): Promise<Stocked> {
  const written: string[] = [];
  const say = (longest = 255) => {
    const payload = payloads[(round * 24 + written.length * 7) % payloads.length] ?? '';
    written.push(payload.slice(0, longest).trim());
    return written.at(-1) ?? '';
  };
  const furnished = await furnish(await premises.openShop(), 'x', textsOf(payloads, round));
  written.push(...Object.values(furnished.texts));
  const { shop } = furnished;
  const owner = await employ(shop, say(), 'owner');
  await employ(shop, say(), 'viewer');
  const orders = await fillOrders(furnished, say);
  const goods = await fillCatalogue(shop, say);
  const customer_id = await fillCustomers(shop, say);
  const webhook = await fillSettings(shop, say);
  const agent_token = await sendAgent(shop, customer_id, say);
  const { discounts } = await shop.must('dashboard.listDiscounts');
  const discount = discounts[0]?.id ?? '';
  const assistant_action = await askOwner(shop, owner, say);
  const others = { customer: customer_id, discount, webhook, agent_token, assistant_action };
  return { shop, owner, ids: { ...goods, ...orders, ...others }, written };
}

type Say = (longest?: number) => string;

/** Creates a member of staff who can log in. */
export async function employ({ premises, site_id }: OpenShop, name: string, role: string): Promise<Login> {
  passwordHash ??= hashPassword(PASSWORD);
  const [id, email] = [randomUUID(), `${randomUUID()}@example.com`];
  await premises.owner.query(
    `with hired as (insert into commerce.staff (id, email, name, password_hash) values ($1, $2, $3, $4) returning id)
     insert into commerce.staff_memberships (staff_id, site_id, role) select id, $5, $6 from hired`,
    [id, email, name, await passwordHash, site_id, role],
  );
  return { email, password: PASSWORD };
}

async function fillCatalogue(shop: OpenShop, say: Say) {
  const [option1, another] = [say(), say()];
  const product = await shop.must('dashboard.createProduct', {
    body: {
      name: say(),
      description: say(),
      vendor: say(),
      product_type: say(),
      tags: [say(), say()],
      status: 'active',
      metadata: { [say(40)]: say() },
      options: [{ name: say(), values: [option1, another] }],
      variants: [{ option1, price: '10' }],
      images: [{ url: 'https://img.example/x.jpg', alt: say() }],
    },
  });
  const variant = await shop.must('dashboard.createVariant', {
    path: { product_id: product.id },
    body: { option1: another, sku: say(), barcode: say(), price: '10', inventory_quantity: 1 },
  });
  await shop.must('dashboard.adjustInventory', {
    path: { variant_id: variant.id },
    body: { delta: 1, reason: 'correction', note: say() },
  });
  const collection = await shop.must('dashboard.createCollection', {
    body: { title: say(), description: say(), product_ids: [product.id] },
  });
  await shop.ask('dashboard.createFile', {
    body: { filename: say(), content_type: 'image/png', bytes: 100, sha256: 'a'.repeat(64) },
  });
  return { product: product.id, collection: collection.id };
}

async function fillOrders(furnished: Parameters<typeof fillIn>[0], say: Say) {
  const { shop } = furnished;
  const place = async () => {
    const { id } = await fillIn(furnished);
    const { order } = await shop.must('storefront.completeCheckout', { path: { checkout_id: id }, body: {} });
    return { order_id: order.id };
  };
  const path = await place();
  await shop.must('dashboard.updateOrder', {
    path,
    body: { note: say(), staff_note: say(), metadata: { [say(40)]: say() } },
  });
  await shop.must('dashboard.markOrderPaid', { path });
  await shop.must('dashboard.createFulfillment', {
    path,
    body: {
      carrier: say(),
      tracking_number: say(),
      tracking_url: `https://evil.example/${say().replaceAll(/\s/g, '+')}`,
    },
  });
  await shop.must('dashboard.createRefund', {
    path,
    body: { amount: '1.00', reason: 'other', note: say(), by_hand: true },
  });
  await shop.must('dashboard.cancelOrder', { path: await place(), body: { reason: 'other', note: say() } });
  await place();
  const { line_items } = await shop.must('dashboard.getOrder', { path });
  const returned = await shop.must('dashboard.createReturn', {
    body: {
      order_id: path.order_id,
      lines: [{ line_item_id: line_items[0]?.id ?? '', quantity: 1, reason: 'other', note: say() }],
      customer_note: say(),
      staff_note: say(),
      shipping: {
        label_url: `https://evil.example/${say().replaceAll(/\s/g, '+')}`,
        carrier: say(),
        tracking_number: say(),
      },
    },
  });
  const withdrawal = await withdraw(shop, say);
  const draft = await shop.must('dashboard.createDraftOrder', {
    body: {
      email: `${randomUUID()}@example.com`,
      lines: [{ variant_id: line_items[0]?.variant_id ?? '', quantity: 1 }],
      note: say(),
    },
  });
  return { order: path.order_id, return: returned.id, withdrawal, draft_order: draft.id };
}

/** Inserts a statement of withdrawal, as the withdrawal page stores it. */
async function withdraw({ premises, site_id }: OpenShop, say: Say): Promise<string> {
  const { rows } = await premises.owner.query<{ id: string }>(
    `with stated as (
        insert into commerce.withdrawal_statements (site_id, id, name, email, recipient, contract, items, locale, client_hash, acknowledge_at)
        values ($1, commerce.uuid_v7(), $2, 'jo@shop.example', 'jo@shop.example', $3, $4, 'en', '', now()) returning id
      )
      insert into commerce.withdrawals (site_id, id, status) select $1, id, 'unmatched' from stated returning id`,
    [site_id, say(200), say(), say()],
  );
  return rows[0]?.id ?? '';
}

async function fillCustomers(shop: OpenShop, say: Say): Promise<string> {
  const { id } = await shop.must('dashboard.createCustomer', {
    body: {
      email: `${randomUUID()}@example.com`,
      first_name: say(),
      last_name: say(),
      note: say(),
      metadata: { [say(40)]: say() },
    },
  });
  return id;
}

async function fillSettings(shop: OpenShop, say: Say): Promise<string> {
  await shop.must('dashboard.createDiscount', {
    body: { code: `X${randomUUID().slice(0, 8)}`, kind: 'percentage', value: '10', description: say() },
  });
  // Changes the description in the database, because an API key cannot create keys.
  await shop.premises.owner.query('update commerce.tokens set description = $2 where site_id = $1', [
    shop.site_id,
    say(),
  ]);
  const sayWord = () => say(40).replaceAll(/\s/g, '+');
  await shop.must('dashboard.updateSettings', {
    body: { search_synonyms: [{ term: sayWord(), synonyms: [sayWord()] }] },
  });
  const webhook = await shop.must('dashboard.createWebhook', {
    body: {
      url: `https://hooks.example.com/${say().replaceAll(/\s/g, '+')}`,
      events: ['order.created'],
      description: say(),
    },
  });
  await shop.must('dashboard.testWebhook', { path: { webhook_id: webhook.id } });
  return webhook.id;
}

/** Creates an agent whose name and search query are payloads. */
async function sendAgent({ premises, site_id }: OpenShop, customer_id: string, say: Say): Promise<string> {
  const { id, secret } = await openAgent(premises, { site_id, canary: say(90) }, customer_id);
  const path = `/api/agent/catalog/search?q=${encodeURIComponent(say(90))}`;
  await exchange(premises.baseUrl, 'GET', path, { Authorization: `Bearer ${secret}`, 'User-Agent': 'agent' });
  return id;
}

/** Stores a change that an assistant wants, with payloads as its name, its target and a value. */
async function askOwner({ premises, site_id }: OpenShop, { email }: Login, say: Say): Promise<string> {
  const { rows } = await premises.owner.query<{ id: string }>(
    `with assistant as (
        insert into commerce.assistants (site_id, id, staff_id, client_name, client_hash, redirect_uri, code_challenge,
          code_hash, code_expires_at, scopes, token_hash, expires_at)
        select $1, commerce.uuid_v7(), id, $3, '', '', '', uuid_send(gen_random_uuid()), now(), '{orders:read}',
          uuid_send(gen_random_uuid()), now() + interval '1 day'
        from commerce.staff where email = $2 returning site_id, id, staff_id
      )
      insert into commerce.assistant_actions (site_id, id, assistant_id, staff_id, operation, request, target, before, expires_at)
      select site_id, commerce.uuid_v7(), id, staff_id, 'dashboard.updateOrder', jsonb_build_object('path', '{}'::jsonb,
        'body', jsonb_build_object('staff_note', $5::text)), $4, '{}', now() + interval '1 day' from assistant returning id`,
    [site_id, email, say(90), say(), say()],
  );
  return rows[0]?.id ?? '';
}
