import { createDashboardClient, createStorefrontClient, createSyncClient } from '@commerce-backend/sdk';
import type {
  CheckoutPatch,
  DiscountInput,
  ProductInput,
  SettingsPatch,
  ShippingOptionInput,
} from '@commerce-backend/spec';
import { hashSync } from '@node-rs/argon2';
import sql from 'sql-template-tag';
import { inTransaction } from '../src/db/transaction.ts';
import { createSite } from '../src/shop/merchant/sites.ts';
import { randomPassword } from '../src/shop/passwords/passwords.ts';
import type { Tenant } from '../src/shop/shop.ts';
import { KEY_SCOPES } from './key-scopes.ts';
import { type TestServer, testServer } from './server.ts';

let count = 0;
const PASSWORD = 'correct horse battery staple';
// The lowest cost of hashing, so that checking a password takes 0.05 ms instead of 11 ms.
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const PASSWORD_HASH = hashSync(PASSWORD, CHEAP);
const STAFF_PASSWORD = cheapPassword();

function cheapPassword() {
  const text = randomPassword();
  return { text, hash: hashSync(text, CHEAP) };
}

const BANK_DETAILS = {
  account_holder: 'Alder & Finch GmbH',
  iban: 'DE89370400440532013000',
  ...{ bic: null, bank_name: null, instructions: null },
};

/** The fields that a checkout requires, except for a shipping option. */
export const FILLED_IN = {
  email: 'june@example.com',
  shipping_address: {
    first_name: 'June',
    last_name: 'Okafor',
    address1: 'Lindenallee 7',
    city: 'Berlin',
    postal_code: '10115',
    country: 'DE',
  },
  payment_method: 'bank_transfer',
} as const;

/** The tenant of a shop opened in euros, for code that is called without a request. */
export function tenantOf(site_id: string): Tenant {
  return {
    site_id,
    merchant_id: site_id,
    currency: 'EUR',
    currency_digits: 2,
    show_stock: 'exact',
    catalog_version: '',
  };
}

interface GivenCheckout extends CheckoutPatch {
  /** The content of a new cart, as in `givenCart`. */
  content?: string | { variant_id: string; quantity: number }[];
  /** An existing cart. */
  cart_id?: string;
}

/**
 * Opens a shop for one test, with clients for its credentials. All shops of a worker share a database, so that a leak
 * between tenants can be detected. `on` is a server other than the test server.
 */
export async function openShop({ currency = 'EUR', on = undefined as TestServer | undefined } = {}) {
  const server = on ?? (await testServer());
  count += 1;
  const name = `Shop ${process.pid}-${count}`;
  const email = `staff-${process.pid}-${count}@example.com`;
  const { credentials } = await inTransaction(server.db, (connection) =>
    createSite(connection, {
      ...{ name, currency, staff: { email, name: 'Staff' }, password: STAFF_PASSWORD },
      key_scopes: KEY_SCOPES,
    }),
  );
  const { baseUrl } = server;
  const { site_id, api_key, storefront_token, sync_secret } = credentials;
  const dashboard = createDashboardClient({ baseUrl, apiKey: api_key, maxAttempts: 1 });
  const storefront = createStorefrontClient({
    baseUrl,
    siteId: site_id,
    storefrontToken: storefront_token,
    maxAttempts: 1,
  });
  const sync = createSyncClient({ baseUrl, siteId: site_id, syncSecret: sync_secret, maxAttempts: 1 });

  /** Creates a product, by default active, for 10.00, ten in stock. */
  async function givenProduct(input: Partial<ProductInput> = {}) {
    const body = { name: 'Mug', price: '10.00', status: 'active' as const, ...input };
    const stocked = body.variants ? body : { inventory_quantity: 10, ...body };
    const { data, error } = await dashboard.POST('/api/dashboard/products', { body: stocked });
    if (!data) throw new Error(`The product was refused: ${JSON.stringify(error)}`);
    return data;
  }

  /** Creates a cart of the client (by default a guest), with one new product of this price or with these lines. */
  async function givenCart(
    content: string | { variant_id: string; quantity: number }[] = '10.00',
    client = storefront,
  ) {
    const lines =
      typeof content === 'string'
        ? [{ variant_id: (await givenProduct({ price: content })).variants[0]?.id ?? '', quantity: 1 }]
        : content;
    let { data: cart, error } = await client.POST('/api/storefront/cart');
    for (const body of lines) {
      const path = { cart_id: cart?.id ?? '' };
      ({ data: cart, error } = await client.POST('/api/storefront/cart/{cart_id}/items', { params: { path }, body }));
    }
    if (!cart) throw new Error(`The cart was refused: ${JSON.stringify(error)}`);
    return cart;
  }

  /** Creates a discount code, by default TEN, 10.00 off. */
  async function givenDiscount(input: Partial<DiscountInput> = {}) {
    const value = input.kind === 'free_shipping' ? undefined : '10.00';
    const body = { code: 'TEN', kind: 'fixed_amount' as const, value, ...input };
    const { data, error } = await dashboard.POST('/api/dashboard/discounts', { body });
    if (!data) throw new Error(`The discount was refused: ${JSON.stringify(error)}`);
    return data;
  }

  /** Creates a shipping option, by default for all countries at 4.90. */
  async function givenShippingOption(input: Partial<ShippingOptionInput> = {}) {
    const body = { name: 'Parcel', price: '4.90', ...input };
    const { data, error } = await dashboard.POST('/api/dashboard/shipping-options', { body });
    if (!data) throw new Error(`The shipping option was refused: ${JSON.stringify(error)}`);
    return data;
  }

  /** Creates a customer with a verified e-mail address, logs in, and returns a client. */
  async function givenCustomer({ email, password = PASSWORD }: { email?: string; password?: string } = {}) {
    count += 1;
    const address = email ?? `customer-${process.pid}-${count}@example.com`;
    await server.owner.query(
      sql`insert into commerce.customers (site_id, id, email, password_hash, email_verified_at, first_name, last_name)
        values (${site_id}, gen_random_uuid(), ${address}, ${password === PASSWORD ? PASSWORD_HASH : hashSync(password, CHEAP)}, now(), 'June', 'Okafor')`,
    );
    const body = { email: address, password };
    const { data: session, error } = await storefront.POST('/api/storefront/customer/login', { body });
    if (!session) throw new Error(`The login was refused: ${JSON.stringify(error)}`);
    const { customer, access_token } = session;
    return { ...customer, password, access_token, session, client: storefront.withCustomer(access_token) };
  }

  /**
   * Enables bank transfers, applies the settings, and returns the first shipping option, created if there is none.
   * Writes to the database, because the requests would take a tenth of the tests' time.
   */
  async function givenTerms(settings?: SettingsPatch) {
    if (settings) await dashboard.PATCH('/api/dashboard/settings', { body: settings });
    const { bank_details = BANK_DETAILS } = settings ?? {};
    const { rows } = await server.owner.query<{ id: string; price: string }>(
      sql`with transfers as (update commerce.site_settings set bank_details = ${JSON.stringify(bank_details)}
          where site_id = ${site_id}),
        known as (select id, price::text from commerce.shipping_options where site_id = ${site_id} order by position limit 1),
        fresh as (
          insert into commerce.shipping_options (site_id, id, name, kind, price, countries, states, postcode_prefixes,
            position, active)
          select ${site_id}, gen_random_uuid(), 'Parcel', 'delivery', 4.90, '{}', '{}', '{}', 1, true
          where not exists (select from known)
          returning id, price::text)
        select * from known union all select * from fresh`,
    );
    const [option] = rows;
    if (!option) throw new Error('The shipping option was not created.');
    return option;
  }

  /** Creates a checkout that is ready to be completed, by default by bank transfer, for a cart of `givenCart`. */
  async function givenCheckout({
    content,
    cart_id,
    client = storefront,
    ...patch
  }: GivenCheckout & { client?: typeof storefront } = {}) {
    const { id: shipping_option_id } = await givenTerms();
    const cart = cart_id ?? (await givenCart(content, client)).id;
    const begun = await client.POST('/api/storefront/checkout', { body: { cart_id: cart } });
    const checkout_id = begun.data?.id ?? '';
    const { data, error } = await client.PATCH('/api/storefront/checkout/{checkout_id}', {
      params: { path: { checkout_id } },
      body: { ...FILLED_IN, shipping_option_id, ...patch },
    });
    if (!data) throw new Error(`The checkout was refused: ${JSON.stringify(begun.error ?? error)}`);
    return data;
  }

  /** Places an order for a checkout of `givenCheckout`. */
  async function givenOrder({
    card_token,
    ...given
  }: Parameters<typeof givenCheckout>[0] & { card_token?: string } = {}) {
    const { id: checkout_id } = await givenCheckout(given);
    const { data, error } = await (given.client ?? storefront).POST('/api/storefront/checkout/{checkout_id}/complete', {
      params: { path: { checkout_id } },
      body: card_token ? { payment: { card_token } } : {},
    });
    if (!data) throw new Error(`The completion was refused: ${JSON.stringify(error)}`);
    return { ...data.order, checkout_id, payment: data.payment };
  }

  return {
    ...server,
    site_id,
    credentials,
    dashboard,
    storefront,
    sync,
    givenProduct,
    givenCart,
    givenDiscount,
    givenShippingOption,
    givenCustomer,
    givenTerms,
    givenCheckout,
    givenOrder,
  };
}
