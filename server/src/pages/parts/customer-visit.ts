import type { Caller } from '../../http/callers/caller.ts';
import { languageFor } from '../../language/language.ts';
import { chooseLocale } from '../../language/locales.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant, promiseNoChange } from '../../shop/in-shop.ts';
import { type Front, readFront } from '../../shop/merchant/front.ts';
import type { Actor, Tenant } from '../../shop/shop.ts';
import { heldToken } from './page-session.ts';
import type { PageRequest } from './route.ts';
import type { Visit } from './visit.ts';

/** A request for a page on which customers can log in. */
export interface CustomerVisit extends Visit {
  front: Front;
  /** The login session in this browser, if there is one. */
  session: sessions.PageSession | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the shop of a page by `?site_id=`, or by the host if it belongs to a shop. Throws `not_found` if the shop does
 * not exist.
 */
export async function arriveInShop(request: PageRequest, pathOf: (site_id: string) => string): Promise<CustomerVisit> {
  const site_id = String(request.req.query.site_id ?? request.hosts.siteAt(request.req) ?? '').toLowerCase();
  const tenant = UUID.test(site_id) ? await findTenant(request.db, site_id) : undefined;
  if (!tenant) throw new ShopError('not_found', 'There is no such shop.');
  return { ...request, path: pathOf(site_id), tenant, ...(await recognize(request, tenant)) };
}

/** The browser's login session in a shop. The request extends it, as API calls do. */
export async function recognize(
  { deadline, db, req, context, checkoutDeps, lastUsed }: PageRequest,
  tenant: Tenant,
): Promise<Pick<CustomerVisit, 'front' | 'session' | 'actor' | 'caller' | 'language'>> {
  const token = heldToken(req, checkoutDeps.baseUrl, tenant.site_id);
  const guest: Actor = { type: 'storefront', id: tenant.site_id, customer_id: null };
  const { front, session } = await deadline.inShop(db, tenant, guest, async (inside) => {
    await promiseNoChange(inside);
    return { front: await readFront(inside), session: token ? await sessions.findOnPage(inside, token) : undefined };
  });
  if (session) lastUsed.noteSession(tenant.site_id, session);
  const customer_id = session?.customer_id ?? null;
  const actor: Actor = customer_id ? { type: 'customer', id: customer_id, customer_id } : guest;
  const caller: Caller = {
    kind: customer_id ? 'customer' : 'storefront',
    tenant,
    principal_id: actor.id,
    credential_id: session?.token_id ?? actor.id,
    customer_id,
    scopes: [],
    allowed_origins: [],
  };
  context.caller = caller;
  const locale = chooseLocale(req, session?.locale ?? null, front.default_locale);
  return { front, session, actor, caller, language: languageFor(locale, front.time_zone) };
}
