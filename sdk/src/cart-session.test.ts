import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { baseUrl, openNetwork, refusal, requestId, siteId } from '../test/backend.ts';
import { createCartSession, createStorefrontClient, NotFoundError } from './index.ts';

const network = openNetwork();
const storefront = createStorefrontClient({ baseUrl, siteId, storefrontToken: 'stk_1', maxAttempts: 1 });
const line = { variant_id: siteId, quantity: 1 };

/** Status of the server's carts by id. Other carts are active. */
let carts: Record<string, 'active' | 'converted' | 'merged' | 'expired'>;
let asked: { path: string; customer: string | null; body: unknown }[];
let kept: Map<string, string>;
const storage = {
  getItem: async (key: string) => kept.get(key) ?? null,
  setItem: async (key: string, value: string) => void kept.set(key, value),
  removeItem: async (key: string) => void kept.delete(key),
};
const session = (client = storefront) => createCartSession(client, { storage, key: 'cart' });

function answerFor(id: string, changes: boolean): Response {
  const status = carts[id];
  if (!status) return refusal(404, 'not_found');
  if (status === 'expired') return refusal(410, 'cart_expired');
  if (!changes || status === 'active') return HttpResponse.json({ id, status });
  const body = {
    error: 'cart_not_active',
    message: `It is ${status}.`,
    request_id: requestId,
    retryable: false,
    status,
  };
  return HttpResponse.json({ ...body, ...(status === 'merged' && { cart_id: 'customers' }) }, { status: 409 });
}

beforeEach(() => {
  carts = {};
  asked = [];
  kept = new Map();
  network.use(
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const path = new URL(request.url).pathname.replace('/api/storefront/', '');
      const text = await request.text();
      const customer = request.headers.get('Authorization');
      asked.push({ path: `${request.method} ${path}`, customer, body: text ? JSON.parse(text) : undefined });
      if (path === 'cart') {
        const id = `made-${Object.keys(carts).length}`;
        carts[id] = 'active';
        return HttpResponse.json({ id, status: 'active' }, { status: 201 });
      }
      if (path === 'customer/login') return HttpResponse.json({ access_token: 'cust_1', cart_id: 'customers' });
      const [, id = '', part] = path.split('/');
      if (part === 'items' && text.includes('no-such')) return refusal(404, 'not_found');
      return answerFor(id, request.method !== 'GET');
    }),
  );
});

const made = () => asked.filter(({ path }) => path === 'POST cart').length;

test('creates one cart on first use, even for parallel calls, and keeps it for later visits', async () => {
  const cart = session();
  const [one, other] = await Promise.all([cart.get(), cart.add(line)]);
  expect([one.id, other.id, (await session().get()).id]).toEqual(['made-0', 'made-0', 'made-0']);
  expect(kept.get('cart')).toBe('made-0');
  expect(made()).toBe(1);
  await cart.clear();
  expect((await cart.get()).id).toBe('made-1');
});

test.each(['expired', 'converted', 'missing'] as const)(
  'replaces a cart that is %s, and repeats the call with the new cart',
  async (status) => {
    for (const call of ['get', 'add'] as const) {
      kept.set('cart', 'old');
      carts = status === 'missing' ? {} : { old: status };
      const answer = await (call === 'get' ? session().get() : session().add(line));
      expect(answer.id).toMatch(/^made-/);
      expect(kept.get('cart')).toBe(answer.id);
    }
  },
);

test('continues with the merged cart after its cart was merged', async () => {
  carts = { old: 'merged', customers: 'active' };
  kept.set('cart', 'old');
  expect((await session().add(line)).id).toBe('customers');
  expect(made()).toBe(0);
});

test('throws an error whose cause is not the cart, and keeps the cart', async () => {
  carts = { old: 'active' };
  kept.set('cart', 'old');
  await expect(session().add({ ...line, variant_id: 'no-such' })).rejects.toBeInstanceOf(NotFoundError);
  expect(kept.get('cart')).toBe('old');
  expect(made()).toBe(0);
});

test('throws the error if the new cart cannot be used either', async () => {
  const failing = session().run(async (cart_id) => {
    carts[cart_id] = 'expired';
    return session()
      .storefront.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } })
      .then(({ response }) => {
        if (!response.ok) throw new NotFoundError(response, undefined);
      });
  });
  await expect(failing).rejects.toBeInstanceOf(NotFoundError);
  expect(made()).toBe(3);
});

test('merges the cart at login, and sends later calls as the customer', async () => {
  carts = { customers: 'active' };
  const cart = session();
  await cart.add(line);
  const { access_token } = await cart.login({ email: 'june@example.com', password: 'correct horse' });

  expect(access_token).toBe('cust_1');
  expect(asked.at(-1)?.body).toEqual({ email: 'june@example.com', password: 'correct horse', cart_id: 'made-1' });
  expect((await cart.get()).id).toBe('customers');
  expect(asked.at(-1)).toMatchObject({ path: 'GET cart/customers', customer: 'Bearer cust_1' });
  expect(kept.get('cart')).toBe('customers');
});
