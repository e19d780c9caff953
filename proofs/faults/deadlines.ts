import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../server/src/http/contract/contract.ts';
import { createLogger } from '../../server/src/http/pipeline/log.ts';
import { expireOverdue } from '../../server/src/jobs/buying.ts';
import { mint } from '../../server/src/shop/customers/codes.ts';
import { inShop } from '../../server/src/shop/in-shop.ts';
import { SYSTEM } from '../../server/src/shop/shop.ts';
import { SECRET_KEY } from '../../server/test/server.ts';
import { type Account, CUSTOMER_PASSWORD, openAccount } from '../testing/customers.ts';
import { checkOut, onlyVariantOf, putInCarts, putOnSale } from '../testing/products-and-checkouts.ts';
import type { OpenShop, Request } from '../testing/test-server.ts';

/** A decision that depends on the time, and the time at which its result changes. */
export interface Deadline {
  /** The number of seconds after `begin` at which the result changes. */
  after: number;
  /** Starts the deadline on one server. The returned function reads the result from another. */
  begin(by: OpenShop, scene: Scene): Promise<(server: OpenShop) => Promise<Standing>>;
}

/** The result before or after the deadline. Any other text is an unexpected response. */
export type Standing = 'before' | 'after' | `unexpected: ${string}`;

export interface Scene {
  /** The start time in milliseconds since 1970. */
  now: number;
  /** The login of a member of staff. */
  staff: { email: string; password: string };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The length of the deadlines that a request sets. No other deadline has this length. */
const GIVEN = 5 * HOUR + 7 * MINUTE;

export const DEADLINES: Record<string, Deadline> = {
  'the end of a cart that is never filled': {
    after: 7 * DAY,
    async begin(by) {
      const { id: cart_id } = await by.must('storefront.createCart');
      return asks('storefront.getCart', { path: { cart_id } }, 200, 'cart_expired');
    },
  },
  'the end of a cart': {
    after: 30 * DAY,
    async begin(by) {
      const cart_id = await fullCart(by);
      return asks('storefront.getCart', { path: { cart_id } }, 200, 'cart_expired');
    },
  },
  'the end of a checkout': {
    after: HOUR,
    async begin(by) {
      const { id: checkout_id } = await checkOut(by, await fullCart(by));
      const request = { path: { checkout_id }, body: {} };
      return asks('storefront.completeCheckout', request, 200, 'checkout_expired');
    },
  },
  'the end of a reservation': {
    after: 15 * MINUTE,
    async begin(by) {
      const variant_id = onlyVariantOf(await putOnSale(by, { inventory_quantity: 1 }));
      const pieces = [{ variant_id, quantity: 1 }];
      const [first = '', second = ''] = await putInCarts(by, [pieces, pieces]);
      await by.must('storefront.createCheckout', { body: { cart_id: first } });
      return asks('storefront.createCheckout', { body: { cart_id: second } }, 'insufficient_stock', 201);
    },
  },
  'the payment of an order': {
    after: 7 * DAY,
    async begin(by) {
      const path = { order_id: await order(by) };
      return asks('dashboard.markOrderPaid', { path }, 200, 'payment_not_awaiting');
    },
  },
  'the payment of an order, by the job': {
    after: 7 * DAY,
    async begin(by) {
      const order_id = await order(by);
      return (server) => afterTheJob(server, 'orders', order_id, `payment_status = 'expired'`);
    },
  },
  'the reminder of a payment, by the job': {
    after: 3.5 * DAY,
    async begin(by) {
      const order_id = await order(by);
      return (server) => afterTheJob(server, 'orders', order_id, 'payment_reminded_at is not null');
    },
  },
  'the end of a reset link': {
    after: 30 * MINUTE,
    async begin(by) {
      const token = await codeFor(by, 'reset_password', await customerOf(by));
      const request = { body: { token, new_password: 'another password of the proofs' } };
      return asks('storefront.resetPassword', request, 200, 'reset_token_invalid');
    },
  },
  'the end of a verification link': {
    after: DAY,
    async begin(by) {
      const request = { body: { token: await codeFor(by, 'verify_email', await customerOf(by)) } };
      return asks('storefront.verifyEmail', request, 200, 'verification_token_invalid');
    },
  },
  "the end of a customer's token": {
    after: HOUR,
    async begin(by) {
      return customerWith(await logIn(by, await customerOf(by)));
    },
  },
  "the end of a customer's session": {
    after: 30 * DAY,
    async begin(by) {
      const customer = await customerOf(by);
      const token = await logIn(by, customer);
      // Sets the token as if the session had been used for 30 days without a pause.
      await by.premises.owner.query(
        'update commerce.customer_tokens set expires_at = renewable_until where customer_id = $1',
        [customer.id],
      );
      return customerWith(token);
    },
  },
  'the overlap of a token that was replaced': {
    after: MINUTE,
    async begin(by) {
      const customer_token = await logIn(by, await customerOf(by));
      await by.must('storefront.refreshCustomerToken', { customer_token });
      return customerWith(customer_token);
    },
  },
  'the end of a staff session': {
    after: 12 * HOUR,
    async begin(by, { staff }) {
      const { access_token } = await by.must('dashboard.login', { body: staff });
      return (server) => readWith(server, '/api/dashboard/me', { Authorization: `Bearer ${access_token}` });
    },
  },
  'the delay after five failed logins': {
    after: 1,
    async begin(by) {
      const { email } = await customerOf(by);
      const wrong = { email, password: 'not the password of this account' };
      for (let failure = 1; failure <= 5; failure += 1) {
        const { status } = await by.ask('storefront.loginCustomer', { body: wrong });
        if (status !== 401) throw new Error(`Failed login ${failure} got ${status}, not 401.`);
      }
      const request = { body: { email, password: CUSTOMER_PASSWORD } };
      return asks('storefront.loginCustomer', request, 'rate_limited', 200);
    },
  },
  'the overlap of a token of the storefront that was rotated': {
    after: DAY,
    async begin(by) {
      const { id, secret } = await by.must('dashboard.createStorefrontToken', { body: { description: 'Old' } });
      await by.must('dashboard.rotateStorefrontToken', { path: { storefront_token_id: id } });
      return (server) =>
        readWith(server, '/api/storefront/shop', { 'X-Site-ID': by.site_id, 'X-Service-Token': secret });
    },
  },
  'the memory of an Idempotency-Key': {
    after: DAY,
    async begin(by) {
      const key = randomUUID();
      await by.must('storefront.createCart', { key });
      return async (server) => {
        const { status, replayed } = await server.ask('storefront.createCart', { key });
        if (status !== 201) return `unexpected: ${status}`;
        return replayed ? 'before' : 'after';
      };
    },
  },
  'the end of a discount': {
    after: GIVEN,
    begin: (by, { now }) => discountWith(by, { ends_at: isoOf(now + GIVEN * 1_000) }, [200, 'discount_expired']),
  },
  'the beginning of a discount': {
    after: GIVEN,
    begin: (by, { now }) => discountWith(by, { starts_at: isoOf(now + GIVEN * 1_000) }, ['discount_not_started', 200]),
  },
  'the publication of a product': {
    after: GIVEN,
    async begin(by, { now }) {
      const { id } = await putOnSale(by, { published_at: isoOf(now + GIVEN * 1_000) });
      return asks('storefront.getProduct', { path: { id_or_slug: id } }, 'not_found', 200);
    },
  },
};

/**
 * Calls an operation, and classifies the response by the expected ones before and after the deadline. Each of these is
 * a status or an error code.
 */
function asks<Id extends OperationId>(id: Id, request: Request<Id>, before: number | string, after: number | string) {
  return async (server: OpenShop): Promise<Standing> => {
    const { status, refusal } = await server.ask(id, request);
    const answered = refusal?.error ?? status;
    if (answered === before) return 'before';
    return answered === after ? 'after' : `unexpected: ${status} ${JSON.stringify(refusal)}`;
  };
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

async function fullCart(shop: OpenShop): Promise<string> {
  const variant_id = onlyVariantOf(await putOnSale(shop, { inventory_quantity: 100 }));
  const { id: cart_id } = await shop.must('storefront.createCart');
  await shop.must('storefront.addCartItem', { path: { cart_id }, body: { variant_id, quantity: 1 } });
  return cart_id;
}

async function order(shop: OpenShop): Promise<string> {
  const { id: checkout_id } = await checkOut(shop, await fullCart(shop));
  const completed = await shop.must('storefront.completeCheckout', { path: { checkout_id }, body: {} });
  return completed.order.id;
}

/**
 * Runs the expiry job in this process. Returns 'after' if the row then meets the condition `done`, otherwise 'before'.
 */
async function afterTheJob({ premises }: OpenShop, table: string, id: string, done: string): Promise<Standing> {
  const client = await premises.owner.connect();
  try {
    await expireOverdue(client, {
      db: premises.db,
      card: undefined,
      secretKey: SECRET_KEY,
      logger: createLogger('silent'),
    });
  } finally {
    client.release();
  }
  const { rowCount } = await premises.owner.query(`select from commerce.${table} where id = $1 and ${done}`, [id]);
  return rowCount === 1 ? 'after' : 'before';
}

function customerOf({ premises, site_id }: OpenShop): Promise<Account> {
  return openAccount(premises, { site_id, canary: 'june' });
}

/** Returns the secret that a mail for this purpose would contain. */
function codeFor(
  { premises, tenant }: OpenShop,
  purpose: 'reset_password' | 'verify_email',
  { id, email }: Account,
): Promise<string> {
  return inShop(premises.db, tenant, SYSTEM, (shop) => mint(shop, purpose, { customer_id: id, email }));
}

async function logIn(shop: OpenShop, { email }: Account): Promise<string> {
  const body = { email, password: CUSTOMER_PASSWORD };
  return (await shop.must('storefront.loginCustomer', { body })).access_token;
}

function customerWith(customer_token: string) {
  return asks('storefront.getCustomer', { customer_token }, 200, 'invalid_token');
}

async function readWith({ premises }: OpenShop, path: string, headers: Record<string, string>): Promise<Standing> {
  const { status } = await fetch(premises.baseUrl + path, { headers });
  if (status === 200) return 'before';
  return status === 401 ? 'after' : `unexpected: ${status}`;
}

async function discountWith(
  by: OpenShop,
  times: { starts_at?: string; ends_at?: string },
  [before, after]: [number | string, number | string],
) {
  const code = `TIMED-${randomUUID().slice(0, 8)}`;
  await by.must('dashboard.createDiscount', { body: { code, kind: 'percentage', value: '10', ...times } });
  const cart_id = await fullCart(by);
  return asks('storefront.applyDiscount', { path: { cart_id }, body: { code } }, before, after);
}
