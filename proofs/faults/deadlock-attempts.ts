import { randomUUID } from 'node:crypto';
import { expireCheckouts } from '../../server/src/shop/checkout/expiry.ts';
import { openAccount, openCustomerSession } from '../testing/customers.ts';
import {
  checkOut,
  onlyVariantOf,
  order,
  type Pieces,
  type Product,
  putInCarts,
  putOnSale,
} from '../testing/products-and-checkouts.ts';
import type { Chance } from '../testing/random.ts';
import { type OpenShop, untilConnected } from '../testing/test-server.ts';

/**
 * Requests that use the same rows in different orders, to be sent concurrently. Rejections are allowed: of two opposite
 * requests, such as shipping and cancelling an order, only one can succeed.
 */
export type Contention = (shop: OpenShop, chance: Chance) => Promise<Action[]>;

type Action = () => Promise<unknown>;

const MANY = 64;

export const CONTENTIONS: Record<string, Contention> = {
  'the same goods in opposite orders': async (shop, chance) => {
    const variants = await goodsOf(shop, 4);
    const carts = await putInCarts(shop, mixedLines(variants, chance, MANY));
    return carts.map((cart_id) => {
      const end = chance.next() < 0.8 ? complete : cancel;
      return async () => {
        const begun = await shop.ask('storefront.createCheckout', { body: { cart_id } });
        if (!begun.data) return;
        const path = { checkout_id: begun.data.id };
        const body = { email: 'june@example.com', payment_method: 'bank_transfer' } as const;
        await shop.ask('storefront.updateCheckout', { path, body });
        await end(shop, path.checkout_id);
      };
    });
  },

  'payment, cancellation, shipping and refund of the same orders': async (shop, chance) => {
    const variants = await goodsOf(shop, 3);
    const orders = await Promise.all(mixedLines(variants, chance, 4).map((lines) => order(shop, lines)));
    return each(MANY, (i) => {
      const path = { order_id: orders[i % orders.length]?.id ?? '' };
      return chance.of<Action>([
        () => shop.ask('dashboard.markOrderPaid', { path }),
        () => shop.ask('dashboard.cancelOrder', { path, body: { reason: 'customer' } }),
        () => shop.ask('dashboard.createFulfillment', { path, body: {} }),
        () => shop.ask('dashboard.markOrderDelivered', { path }),
        () => shop.ask('dashboard.createRefund', { path, body: { amount: '1.00', reason: 'damaged' } }),
        () => shop.ask('dashboard.updateOrder', { path, body: { staff_note: 'Again' } }),
      ]);
    });
  },

  'cancelling orders while others of the same goods are made': async (shop, chance) => {
    const variants = await goodsOf(shop, 3);
    const orders = await Promise.all(mixedLines(variants, chance, 8).map((lines) => order(shop, lines)));
    const carts = await putInCarts(shop, mixedLines(variants, chance, MANY - orders.length));
    const checkouts = await Promise.all(carts.map((cart_id) => checkOut(shop, cart_id)));
    return [
      ...orders.map(({ id }): Action => {
        const path = { order_id: id };
        return () => shop.ask('dashboard.cancelOrder', { path, body: { reason: 'inventory' } });
      }),
      ...checkouts.map(
        ({ id }): Action =>
          () =>
            complete(shop, id),
      ),
    ];
  },

  'reordering a collection, deleting and changing what is in it': async (shop, chance) => {
    const products = await Promise.all(each(6, () => putOnSale(shop, { inventory_quantity: 100 })));
    const product_ids = products.map(({ id }) => id);
    const collections = await Promise.all(
      each(2, (i) =>
        shop.must('dashboard.createCollection', { body: { title: `Cups ${i} ${randomUUID()}`, product_ids } }),
      ),
    );
    const carts = await putInCarts(shop, mixedLines(products.map(onlyVariantOf), chance, MANY));
    return carts.map((cart_id) => {
      const path = { collection_id: chance.of(collections).id };
      const product_id = chance.of(product_ids);
      const mixed = chance.some(product_ids, product_ids.length);
      return chance.of<Action>([
        () => shop.ask('dashboard.reorderCollectionProducts', { path, body: { product_ids: mixed } }),
        () => shop.ask('dashboard.addCollectionProducts', { path, body: { product_ids: mixed } }),
        () => shop.ask('dashboard.removeCollectionProduct', { path: { ...path, product_id } }),
        () => shop.ask('dashboard.deleteProduct', { path: { product_id } }),
        () => shop.ask('dashboard.updateProduct', { path: { product_id }, body: { price: '11.00' } }),
        () => shop.ask('dashboard.deleteCollection', { path }),
        () => shop.ask('storefront.createCheckout', { body: { cart_id } }),
      ]);
    });
  },

  'applying a code while it is redeemed, changed and released': async (shop, chance) => {
    const codes = each(2, () => `TEN-${randomUUID().slice(0, 8)}`);
    const made = await Promise.all(
      codes.map((code) =>
        shop.must('dashboard.createDiscount', { body: { code, kind: 'percentage', value: '10', usage_limit: 40 } }),
      ),
    );
    const carts = await putInCarts(shop, mixedLines(await goodsOf(shop, 3), chance, MANY));
    const checkouts = await Promise.all(carts.map((cart_id) => checkOut(shop, cart_id)));
    return checkouts.map(({ id, cart_id }) => {
      const apply = (code: string) => shop.ask('storefront.applyDiscount', { path: { cart_id }, body: { code } });
      const path = { discount_id: chance.of(made).id };
      const [one, other] = [chance.of(codes), chance.of(codes)];
      const finish = () => complete(shop, id);
      const meanwhile = chance.of<Action>([finish, () => apply(other)]);
      const last = chance.of<Action>([
        finish,
        () => shop.ask('storefront.removeDiscount', { path: { cart_id } }),
        () => cancel(shop, id),
        () => shop.ask('dashboard.updateDiscount', { path, body: { usage_limit: 50 } }),
      ]);
      return async () => {
        await Promise.all([apply(one), meanwhile()]);
        await last();
      };
    });
  },

  'imports and counts of the same goods in opposite orders, while they are sold': async (shop, chance) => {
    const products = await Promise.all(each(6, () => putOnSale(shop, { inventory_quantity: 500 })));
    const carts = await putInCarts(shop, mixedLines(products.map(onlyVariantOf), chance, MANY));
    const row = ({ slug, name }: Pick<Product, 'slug' | 'name'>) => ({ slug, name: `${name}!`, price: '12.00' });
    const fresh = each(2, (i) => ({ slug: `fresh-${i}-${randomUUID()}`, name: 'Fresh' }));
    return carts.map((cart_id) => {
      const mixed = chance.some([...products, ...fresh], products.length + fresh.length);
      const chosen = chance.of(products);
      const [product_id, variant_id] = [chosen.id, onlyVariantOf(chosen)];
      return chance.of<Action>([
        () => shop.ask('dashboard.importProducts', { body: { products: mixed.map(row) } }),
        () =>
          shop.ask('dashboard.replaceProduct', {
            path: { product_id },
            if_match: '*',
            body: { variants: [{ id: variant_id, barcode: 'B' }] },
          }),
        () => shop.ask('dashboard.adjustInventory', { path: { variant_id }, body: { delta: 1, reason: 'received' } }),
        () => shop.ask('storefront.createCheckout', { body: { cart_id } }),
      ]);
    });
  },

  'customers who buy, and are changed and erased meanwhile': async (shop, chance) => {
    const { premises, site_id } = shop;
    const accounts = await Promise.all(each(4, () => openAccount(premises, { site_id, canary: 'june' })));
    const shoppers = await Promise.all(
      accounts.map(async (account) => {
        const customer_token = await openCustomerSession(premises, { site_id }, account.id);
        const own = await shop.must('storefront.createCart', { customer_token });
        return { ...account, customer_token, cart_id: own.id };
      }),
    );
    const variants = await goodsOf(shop, 3);
    const guests = await putInCarts(shop, mixedLines(variants, chance, MANY));
    return guests.map((guest_cart_id) => {
      const { id: customer_id, customer_token, cart_id } = chance.of(shoppers);
      const variant_id = chance.of(variants);
      return chance.of<Action>([
        () => shop.ask('storefront.createAddress', { customer_token, body: ADDRESS }),
        () =>
          shop.ask('storefront.addCartItem', { customer_token, path: { cart_id }, body: { variant_id, quantity: 1 } }),
        () => shop.ask('storefront.createCheckout', { customer_token, body: { cart_id } }),
        () => shop.ask('storefront.createCheckout', { customer_token, body: { cart_id: guest_cart_id } }),
        () => shop.ask('storefront.refreshCustomerToken', { customer_token }),
        () => shop.ask('storefront.updateCustomer', { customer_token, body: { first_name: 'June' } }),
        () => shop.ask('dashboard.updateCustomer', { path: { customer_id }, body: { note: 'Again' } }),
        () => shop.ask('storefront.deleteCustomer', { customer_token }),
        () => shop.ask('dashboard.anonymizeCustomer', { path: { customer_id } }),
      ]);
    });
  },

  'reservations that run out while others want them': async (shop, chance) => {
    const { premises, tenant } = shop;
    const variants = await goodsOf(shop, 3, 40);
    const carts = await putInCarts(shop, mixedLines(variants, chance, MANY));
    const [early, late] = [carts.slice(0, 24), carts.slice(24)];
    const checkouts = await Promise.all(
      early.map((cart_id) => shop.ask('storefront.createCheckout', { body: { cart_id } })),
    );
    await premises.owner.query(
      'update commerce.checkouts set reserved_until = now() where site_id = $1 and reserved_until is not null',
      [tenant.site_id],
    );
    const expire: Action = () =>
      untilConnected(() => expireCheckouts(premises.db, tenant)).catch((error: Error) =>
        premises.violations.add(`The job that expires checkouts failed: ${error.message}`),
      );
    return [
      ...each(4, () => expire),
      ...checkouts.map(({ data }): Action => {
        const path = { checkout_id: data?.id ?? randomUUID() };
        return () => shop.ask('storefront.updateCheckout', { path, body: { note: 'Still here' } });
      }),
      ...late.map(
        (cart_id): Action =>
          () =>
            shop.ask('storefront.createCheckout', { body: { cart_id } }),
      ),
    ];
  },
};

const ADDRESS = {
  first_name: 'June',
  last_name: 'Okafor',
  address1: 'Elm Street 7',
  city: 'Berlin',
  postal_code: '10115',
  country: 'DE',
};

function each<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

function goodsOf(shop: OpenShop, count: number, inventory_quantity = 10_000): Promise<string[]> {
  return Promise.all(each(count, async () => onlyVariantOf(await putOnSale(shop, { inventory_quantity }))));
}

/** Returns the contents of this many carts. Each has all of the variants, in random order. */
function mixedLines(variants: string[], chance: Chance, count: number): Pieces[][] {
  return each(count, () => chance.some(variants, variants.length).map((variant_id) => ({ variant_id, quantity: 1 })));
}

function complete(shop: OpenShop, checkout_id: string) {
  return shop.ask('storefront.completeCheckout', { path: { checkout_id }, body: {} });
}

function cancel(shop: OpenShop, checkout_id: string) {
  return shop.ask('storefront.cancelCheckout', { path: { checkout_id } });
}
