import { createHmac, randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { stringify } from 'uuid';
import type { Caller } from '../../http/callers/caller.ts';
import type { SiteHosts } from '../../http/callers/site-hosts.ts';
import { languageFor } from '../../language/language.ts';
import { chooseLocale } from '../../language/locales.ts';
import * as carts from '../../shop/carts/carts.ts';
import * as cartDiscounts from '../../shop/carts/discounts.ts';
import { findLinked } from '../../shop/carts/linked.ts';
import * as checkouts from '../../shop/checkout/checkouts.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant, promiseNoChange } from '../../shop/in-shop.ts';
import { checkoutToken } from '../../shop/links.ts';
import { readFront } from '../../shop/merchant/front.ts';
import type { Actor, Shop } from '../../shop/shop.ts';
import type { FormBody } from '../parts/form-body.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../parts/route.ts';
import { count, runAction } from '../parts/visit.ts';
import { type BuyLink, idIn, pathOf, readLink } from './link.ts';
import { selection } from './selection.ts';
import type { BasketVisit } from './visit.ts';

/**
 * Paths of buy links. They redirect to a page that shows the items. Only the button on that page creates the cart and
 * the checkout, because programs such as link scanners open links too.
 */
export const BUY_PATHS = ['/buy', '/buy/:items', '/sites/:site_id/buy', '/sites/:site_id/buy/:items'];

export function leadToBasket(hosts: SiteHosts): RequestHandler {
  return (req, res) => {
    const site_id = req.params.site_id === undefined ? hosts.siteAt(req) : idIn(String(req.params.site_id));
    const query = req.originalUrl.split('?').slice(1).join('?');
    const link = readLink(String(req.params.items ?? ''), query);
    const onward = site_id && link ? pathOf(site_id, link) : site_id ? `/sites/${site_id}/basket/none` : '/';
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    res.status(303).set('Location', onward).end();
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const basketPage: PageRoute<BasketVisit> = {
  path: '/sites/:site_id/basket/:items',
  where: 'checkout',
  arrive,
  formOf: ({ path }) => `basket ${path}`,
  show: async (visit) => {
    await count(visit, 'storefront.getProduct');
    return shown(visit);
  },
  post,
  notices: { not_found: 'buy.gone' },
};

async function arrive(request: PageRequest): Promise<BasketVisit> {
  const { deadline, db, req, context } = request;
  const site_id = String(req.params.site_id).toLowerCase();
  const tenant = UUID.test(site_id) ? await findTenant(db, site_id) : undefined;
  if (!tenant) throw leadsNowhere();
  const actor: Actor = { type: 'storefront', id: site_id, customer_id: null };
  const link = readLink(String(req.params.items), req.originalUrl.split('?').slice(1).join('?'));
  const { front, variants } = await deadline.inShop(db, tenant, actor, async (shop) => {
    await promiseNoChange(shop);
    const front = await readFront(shop);
    return {
      front,
      variants: link
        ? await findLinked(
            shop,
            link.lines.map(({ variant_id }) => variant_id),
          )
        : [],
    };
  });
  const language = languageFor(chooseLocale(req, null, front.default_locale), front.time_zone);
  if (!link || variants.length === 0) throw leadsNowhere();
  const caller: Caller = {
    ...{ kind: 'storefront', tenant, principal_id: site_id, credential_id: site_id, customer_id: null },
    ...{ scopes: [], allowed_origins: [] },
  };
  context.caller = caller;
  return { ...request, language, front, path: pathOf(site_id, link), tenant, caller, actor, link, variants };
}

function leadsNowhere(): ShopError {
  return new ShopError('not_found', 'This link leads to nothing that is for sale.');
}

function shown(visit: BasketVisit, mistake?: string): PageAnswer {
  const { guard, req, res, path } = visit;
  const csrf = guard.csrfFor(req, res, `basket ${path}`);
  return { status: mistake ? 422 : 200, html: selection(visit, csrf, mistake) };
}

/** The link with the quantities that the form contains. A line with a quantity of 0 is removed. */
function linkIn({ link }: BasketVisit, body: FormBody): BuyLink {
  const lines = link.lines.flatMap(({ variant_id, quantity }) => {
    const entered = body.get(`quantity_${variant_id}`);
    const wanted = entered !== undefined && /^\d{1,3}$/.test(entered) ? Number(entered) : quantity;
    return wanted === 0 ? [] : [{ variant_id, quantity: wanted }];
  });
  return { ...link, lines };
}

/**
 * Creates the cart and its checkout, which reserves the stock, and redirects to the checkout. An invalid discount code
 * is ignored, because shoppers can enter another one there. After a change of quantities, redirects to the link with
 * these quantities, or to the same link if nothing is left.
 */
async function post(arrived: BasketVisit, body: FormBody): Promise<PageAnswer> {
  const link = linkIn(arrived, body);
  if (link.lines.length === 0) return { redirect: arrived.path };
  const visit = { ...arrived, link, path: pathOf(arrived.tenant.site_id, link) };
  const { checkoutDeps, variants, language } = visit;
  if (body.get('action') === 'update_quantities') return { redirect: visit.path };
  await count(visit, 'storefront.createCart');
  // The result reveals whether a discount code is valid, so it counts as an attempt.
  if (link.code) await count(visit, 'storefront.applyDiscount', { cart_id: randomUUID() });
  const work = async (shop: Shop) => {
    const { attribution } = link;
    const named = Object.keys(attribution).length > 0 ? { attribution } : {};
    const id = cartIdOf(visit, body);
    const isNew = await carts.createOnce(shop, id, { locale: language.locale, ...named });
    if (!isNew) return leadTo(visit, shop, await checkouts.newestOf(shop, id));
    for (const { variant_id, quantity } of link.lines) {
      if (variants.some((one) => one.id === variant_id)) await carts.addItem(shop, id, { variant_id, quantity });
    }
    if (link.code && !(await takesCode(shop, id, link.code))) visit.context.succeeded = undefined;
    const checkout = await checkouts.create(shop, checkoutDeps, id, { locale: language.locale });
    return leadTo(visit, shop, checkout.id);
  };
  const act = { operation_id: 'storefront.createCheckout', action: 'begin_checkout', body } as const;
  return runAction(visit, act, work, async (_shop, error) => {
    if (!(error instanceof ShopError) || !REFUSED.includes(error.code)) throw error;
    return shown(visit, language.say('buy.short'));
  });
}

/**
 * The id of the cart. Pressing the button of one page twice gives the same id; opening the link again gives a new one.
 */
function cartIdOf({ checkoutDeps, tenant, path }: BasketVisit, body: FormBody): string {
  const about = [tenant.site_id, path, body.get('csrf') ?? '', body.get('once') ?? randomUUID()].join('|');
  const bytes = createHmac('sha256', checkoutDeps.secretKey).update(`basket|${about}`).digest().subarray(0, 16);
  return stringify(bytes.with(6, ((bytes[6] ?? 0) & 0x0f) | 0x80).with(8, ((bytes[8] ?? 0) & 0x3f) | 0x80));
}

function leadTo({ checkoutDeps }: BasketVisit, shop: Shop, checkout_id: string | undefined): PageAnswer {
  if (checkout_id === undefined) throw leadsNowhere();
  return { redirect: `/checkout/${checkoutToken(shop, checkoutDeps, checkout_id)}` };
}

const REFUSED = ['insufficient_stock', 'not_found', 'cart_limit', 'conflict'];

async function takesCode(shop: Shop, cart_id: string, code: string): Promise<boolean> {
  try {
    await shop.savepoint(() => cartDiscounts.apply(shop, cart_id, code));
    return true;
  } catch (error) {
    if (error instanceof ShopError) return false;
    throw error;
  }
}
