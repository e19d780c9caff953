import type { OperationOf, Schemas } from './contract.ts';
import { isError, NotFoundError, unwrap } from './errors.ts';
import type { StorefrontClient, StorefrontPaths } from './storefront.ts';

/** Stores strings by key, such as `localStorage` or a session of your server. */
export interface CartStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export interface CartSessionOptions {
  storage: CartStorage;
  /** The key of the cart's id in the storage. Default: `cart_id`. */
  key?: string;
}

type BodyOf<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : never;
type LinesPath = '/api/storefront/cart/{cart_id}/items';
type NewLine = BodyOf<OperationOf<StorefrontPaths, LinesPath, 'post'>>;
type Login = Omit<BodyOf<OperationOf<StorefrontPaths, '/api/storefront/customer/login', 'post'>>, 'cart_id'>;

/** The cart of one shopper. Only its id is stored. */
export interface CartSession {
  /** The client of the calls: after `login`, the customer's. */
  readonly storefront: StorefrontClient;
  /** The current cart; a new one if there is none yet, or if the stored one has expired or become an order. */
  get(): Promise<Schemas['Cart']>;
  /** Adds pieces of a variant. Throws the errors of `unwrap`, such as `insufficient_stock` and `cart_limit`. */
  add(line: NewLine): Promise<Schemas['Cart']>;
  /**
   * Runs any work on the cart, with its id. If the cart has expired, become an order or no longer exists, the work is
   * repeated once on a new cart; if the cart was merged, on the one that has its lines.
   */
  run<Done>(work: (cart_id: string, storefront: StorefrontClient) => Promise<Done>): Promise<Done>;
  /**
   * Logs a customer in, merges the cart and continues with the customer's cart. Store `access_token` for later visits.
   */
  login(credentials: Login): Promise<Schemas['CustomerSession']>;
  /** Removes the cart's id from the storage, after its checkout or when the customer logs out. */
  clear(): Promise<void>;
}

/** Maximum number of carts that a call tries: the stored one, the one into which it was merged, and a new one. */
const MOST_CARTS = 3;

/**
 * Keeps a shopper's cart across visits: creates it on first use, replaces it when it can no longer be used, and merges
 * it at login. Its calls throw the errors of `unwrap`, except those about the cart itself.
 *
 *     const session = createCartSession(storefront, { storage: localStorage });
 *     const { total, currency } = await session.add({ variant_id, quantity: 1 }); // total: '18.50'
 */
export function createCartSession(
  guest: StorefrontClient,
  { storage, key = 'cart_id' }: CartSessionOptions,
): CartSession {
  let storefront = guest;
  let opening: Promise<string> | undefined;

  async function open(): Promise<string> {
    const kept = await storage.getItem(key);
    if (kept) return kept;
    const { id } = await unwrap(storefront.POST('/api/storefront/cart'));
    await storage.setItem(key, id);
    return id;
  }

  /** The id of the cart. Concurrent calls create only one cart. */
  function idOf(): Promise<string> {
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  const read = (cart_id: string) =>
    unwrap(storefront.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } }));

  /** The id of the cart to use after an error; null for a new one. Undefined if another cart would not help. */
  async function instead(cart_id: string, error: unknown): Promise<string | null | undefined> {
    if (isError(error, 'cart_not_active')) return error.body.cart_id ?? null;
    if (isError(error, 'cart_expired')) return null;
    if (!(error instanceof NotFoundError)) return undefined;
    // A 404 may concern the cart, a line or a variant. Reading the cart shows which.
    return read(cart_id).then(
      () => undefined,
      (reason) => (reason instanceof NotFoundError ? null : undefined),
    );
  }

  /**
   * Stores the id of the next cart, or removes the old id if there is none. Keeps an id that a concurrent call has
   * stored.
   */
  async function replace(old: string, next: string | null): Promise<void> {
    if ((await storage.getItem(key)) !== old) return;
    await (next ? storage.setItem(key, next) : storage.removeItem(key));
  }

  async function run<Done>(work: (cart_id: string, client: StorefrontClient) => Promise<Done>): Promise<Done> {
    for (let carts = 1; ; carts++) {
      const cart_id = await idOf();
      try {
        return await work(cart_id, storefront);
      } catch (error) {
        const next = carts < MOST_CARTS ? await instead(cart_id, error) : undefined;
        if (next === undefined) throw error;
        await replace(cart_id, next);
      }
    }
  }

  return {
    get storefront() {
      return storefront;
    },
    run,
    async get() {
      const cart = await run(read);
      if (cart.status === 'active') return cart;
      await replace(cart.id, null);
      return run(read);
    },
    add: (body) =>
      run((cart_id, client) =>
        unwrap(client.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body })),
      ),
    async login(credentials) {
      const kept = await storage.getItem(key);
      const session = await unwrap(
        storefront.POST('/api/storefront/customer/login', { body: { ...credentials, ...(kept && { cart_id: kept }) } }),
      );
      storefront = storefront.withCustomer(session.access_token);
      await (session.cart_id ? storage.setItem(key, session.cart_id) : storage.removeItem(key));
      return session;
    },
    async clear() {
      await storage.removeItem(key);
    },
  };
}
