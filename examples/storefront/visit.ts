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
  /** How many pieces are in the cart. */
  pieces: number;
  /** The address of a page of this storefront in the shopper's language. */
  to(path: string): string;
  /** Goes on to a page after a form was posted; `notice` is the key of a message to show there. */
  goTo(path: string, notice?: string): void;
  logIn(accessToken: string): void;
  logOut(): void;
}

const DAYS = 24 * 60 * 60 * 1000;
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/' } as const;

/** Only two cookies are kept, which scripts cannot read: the id of the cart, and a customer's token. */
export async function openVisit(
  req: Request,
  res: Response,
  language: Language,
  guest: StorefrontClient,
): Promise<Visit> {
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
    pieces: await piecesIn(shop, kept.get('cart_id')),
    goTo: (path, notice) => res.redirect(303, notice ? `${to(path)}?notice=${notice}` : to(path)),
    logIn: (accessToken) => keep('customer', accessToken, 30 * DAYS),
    logOut: () => ['customer', 'cart_id'].forEach(forget),
  };
}

/** Without making a cart for everybody who looks around. */
async function piecesIn(shop: StorefrontClient, cart_id: string | undefined): Promise<number> {
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
  const value = (from as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** The collections, for the menu. */
export async function collectionsOf({ shop }: Pick<Visit, 'shop'>) {
  const params = { query: { limit: 12 } };
  return (await unwrap(shop.GET('/api/storefront/collections', { params }))).collections;
}
