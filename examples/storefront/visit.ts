import { type CartSession, createCartSession, type StorefrontClient, unwrap } from '@commerce-backend/sdk';
import type { Request, Response } from 'express';
import { type Language, type Words, wordsIn } from './words.ts';

/** One request of a shopper: their language, their cart, and the shop as they see it. */
export interface Visit extends Words {
  req: Request;
  res: Response;
  /** Calls for this shopper: a guest's, or the customer's after a login. */
  shop: StorefrontClient;
  cart: CartSession;
  isCustomer: boolean;
  /** The cart in the shopper's cookie. */
  cartId: string | undefined;
  /** How many items are in the cart. */
  pieces: number;
  /** The URL of a page of this storefront in the shopper's language. */
  to(path: string): string;
  /** Redirects to a page after a form was posted; `notice` is the key of a message to show there. */
  goTo(path: string, notice?: string): void;
  logIn(accessToken: string): void;
  logOut(): void;
}

const DAYS = 24 * 60 * 60 * 1000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/' } as const;

/**
 * Opens the visit of a request. It sends no request to the shop yet, so that later errors can be shown on a page. There are only
 * two cookies, which scripts cannot read: the id of the cart, and a customer's token.
 */
export function openVisit(req: Request, res: Response, language: Language, guest: StorefrontClient): Visit {
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
    ...{ req, res, shop, cart, to, isCustomer: token !== undefined },
    cartId: kept.get('cart_id'),
    pieces: 0,
    goTo: (path, notice) => res.redirect(303, notice ? `${to(path)}?notice=${notice}` : to(path)),
    logIn: (accessToken) => keep('customer', accessToken, 30 * DAYS),
    logOut: () => ['customer', 'cart_id'].forEach(forget),
  };
}

/** The number of items in the cart, without creating one for every visitor. */
export async function piecesIn({ shop, cartId: cart_id }: Visit): Promise<number> {
  if (!cart_id) return 0;
  const { data } = await shop.GET('/api/storefront/cart/{cart_id}', { params: { path: { cart_id } } });
  return data?.status === 'active' ? data.items.reduce((sum, { quantity }) => sum + quantity, 0) : 0;
}

function cookiesOf(req: Request): Map<string, string> {
  const pairs = (req.headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

/** A text of the query, or of a posted form. */
export function textOf(from: unknown, name: string): string {
  return passwordOf(from, name).trim();
}

/** A password, unchanged: blanks around it are part of it. */
export function passwordOf(from: unknown, name: string): string {
  const value = (from as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** The collections; the first of them make the menu. */
export async function collectionsOf({ shop }: Pick<Visit, 'shop'>, limit = 12) {
  const params = { query: { limit } };
  return (await unwrap(shop.GET('/api/storefront/collections', { params }))).collections;
}
