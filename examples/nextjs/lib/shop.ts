import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  createCartSession,
  createStorefrontClient,
  type Schemas,
  type StorefrontClient,
  unwrap,
} from '@commerce-backend/sdk';
import { cookies, headers } from 'next/headers';
import { cache } from 'react';

/** The cookie with the cart's id. Scripts cannot read it. */
const CART = 'cart_id';
const NINETY_DAYS = 90 * 24 * 60 * 60;

/** A client with the shop's credentials from the environment, otherwise with those of the demo shop in this clone. */
const openClient = cache((): StorefrontClient => {
  const { COMMERCE_URL, COMMERCE_SITE_ID = '', COMMERCE_STOREFRONT_TOKEN = '' } = process.env;
  const { DEMO_FILE = '../../.data/demo.json' } = process.env;
  if (COMMERCE_URL) {
    const token = { siteId: COMMERCE_SITE_ID, storefrontToken: COMMERCE_STOREFRONT_TOKEN };
    return createStorefrontClient({ baseUrl: COMMERCE_URL, ...token });
  }
  const demo = JSON.parse(readFileSync(/* turbopackIgnore: true */ DEMO_FILE, 'utf8'));
  return createStorefrontClient({
    baseUrl: demo.base_url,
    siteId: demo.site_id,
    storefrontToken: demo.storefront_token,
  });
});

/**
 * A client for the shopper of this request. The last IP address in X-Forwarded-For is the one that the nearest proxy,
 * or Next itself, has seen; rate limits apply to it.
 */
export async function shopperClient(): Promise<StorefrontClient> {
  const address = (await headers()).get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return openClient().withBuyerIp(isIP(address) ? address : '127.0.0.1');
}

/** The cart of this request, created on first use. Only actions may use it, because pages cannot set cookies. */
export async function openCart() {
  const kept = await cookies();
  const options = { httpOnly: true, sameSite: 'lax', path: '/', maxAge: NINETY_DAYS } as const;
  return createCartSession(await shopperClient(), {
    storage: {
      getItem: () => kept.get(CART)?.value ?? null,
      setItem: (_key, value) => void kept.set(CART, value, options),
      removeItem: () => void kept.delete(CART),
    },
  });
}

/** The cart of this request, for pages; undefined if it is missing, empty or no longer active. Reads it once per request. */
export const currentCart = cache(async (): Promise<Schemas['Cart'] | undefined> => {
  const cart_id = (await cookies()).get(CART)?.value;
  if (!cart_id) return undefined;
  const shop = await shopperClient();
  const { data } = await shop.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } });
  return data?.status === 'active' && data.items.length > 0 ? data : undefined;
});

export const shopFacts = cache(async () => unwrap((await shopperClient()).GET('/api/storefront/shop')));
