import { type CartSession, createCartSession, type StorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { Request, Response } from 'express';
import { type Language, type Words, wordsIn } from './words.ts';

/** A shopper's request. */
export interface Visit extends Words {
  req: Request;
  res: Response;
  /** A client for this shopper: a guest, or the customer after login. */
  shop: StorefrontClient;
  cart: CartSession;
  /** Base URL of the server with the hosted pages. */
  serverUrl: string;
  isCustomer: boolean;
  /** The cart's id in the cookie. */
  cartId: string | undefined;
  /** Number of items in the cart. */
  pieces: number;
  /** The URL of a page in the shopper's language. */
  to(path: string): string;
  /** Redirects after a form. `notice` is the key of a message that the page shows. */
  goTo(path: string, notice?: string): void;
  logIn(accessToken: string): void;
  logOut(): void;
}

const DAYS = 24 * 60 * 60 * 1000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/' } as const;

/**
 * Creates the visit for a request. It does not call the shop yet, so that an error of a call can be shown as a page. It
 * uses two cookies that scripts cannot read: the cart's id and a customer's token.
 */
export function openVisit(
  req: Request,
  res: Response,
  language: Language,
  { shop: guest, baseUrl }: { shop: StorefrontClient; baseUrl: string },
): Visit {
  const kept = cookiesOf(req);
  const keep = (name: string, value: string, maxAge: number) => {
    kept.set(name, value);
    res.cookie(name, value, { ...COOKIE, maxAge, secure: req.secure });
  };
  const forget = (name: string) => {
    kept.delete(name);
    res.clearCookie(name, COOKIE);
  };
  const token = kept.get('customer');
  const buyer = guest.withBuyerIp(req.ip ?? '127.0.0.1');
  const shop = token ? buyer.withCustomer(token) : buyer;
  const cart = createCartSession(shop, {
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => keep(key, value, 90 * DAYS),
      removeItem: forget,
    },
  });
  const to = (path: string) => `/${language}${path}`;
  return {
    ...wordsIn(language),
    ...{ req, res, shop, cart, to, isCustomer: token !== undefined, serverUrl: baseUrl },
    cartId: kept.get('cart_id'),
    pieces: 0,
    goTo: (path, notice) => res.redirect(303, notice ? `${to(path)}?notice=${notice}` : to(path)),
    logIn: (accessToken) => keep('customer', accessToken, 30 * DAYS),
    logOut: () => ['customer', 'cart_id'].forEach(forget),
  };
}

/** Number of items in the cart. Does not create a cart. */
export async function piecesIn({ shop, cartId: cart_id }: Visit): Promise<number> {
  if (!cart_id) return 0;
  const { data } = await shop.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } });
  return data?.status === 'active' ? data.items.reduce((sum, { quantity }) => sum + quantity, 0) : 0;
}

function cookiesOf(req: Request): Map<string, string> {
  const pairs = (req.headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

/** A text field of the query or a form. */
export function textOf(from: unknown, name: string): string {
  return passwordOf(from, name).trim();
}

/** A password. It is not trimmed, because spaces are part of it. */
export function passwordOf(from: unknown, name: string): string {
  const value = (from as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** The shop's collections. The first ones are in the menu. */
export async function collectionsOf({ shop }: Pick<Visit, 'shop'>, limit = 12) {
  const params = { query: { limit } };
  return (await unwrap(shop.GET('/api/storefront/collections', { params }))).collections;
}
