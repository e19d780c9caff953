import type { Caller } from '../../http/callers/caller.ts';
import { languageFor } from '../../language/language.ts';
import { chooseLocale } from '../../language/locales.ts';
import * as codes from '../../shop/customers/codes.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant, promiseNoChange } from '../../shop/in-shop.ts';
import { accountLink } from '../../shop/links.ts';
import { type Front, readFront } from '../../shop/merchant/front.ts';
import type { Actor, Tenant } from '../../shop/shop.ts';
import { type Notice, noticePage } from '../parts/document.ts';
import type { Notices } from '../parts/notices.ts';
import { accessPath } from '../parts/paths.ts';
import type { PageAnswer, PageRequest } from '../parts/route.ts';
import { count, type Visit } from '../parts/visit.ts';

/** A request for a page that a link in a mail opens. */
export interface LinkVisit extends Visit {
  front: Front;
  /** Name of the shop. */
  shop: string;
  token: string;
  code: codes.SentCode;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the link's token for one of the purposes. Throws the same `not_found` for unknown links, replaced links and
 * links of other shops.
 */
export async function followLink(
  request: PageRequest,
  purposes: codes.CodePurpose[],
  pathOf: (site_id: string, token: string) => string,
): Promise<LinkVisit> {
  const { deadline, db, req, context } = request;
  const [site_id, token] = [String(req.params.site_id).toLowerCase(), String(req.params.token)];
  const tenant = UUID.test(site_id) ? await findTenant(db, site_id) : undefined;
  if (!tenant) throw leadsNowhere();
  const found = await deadline.inShop(db, tenant, actorOf(tenant, null), async (shop) => {
    await promiseNoChange(shop);
    return { code: await codes.findSentCode(shop, purposes, token), front: await readFront(shop) };
  });
  const { code, front } = found;
  if (!code) throw leadsNowhere();
  const actor = actorOf(tenant, code.customer_id);
  const caller: Caller = {
    kind: code.customer_id ? 'customer' : 'storefront',
    tenant,
    principal_id: actor.id,
    credential_id: actor.id,
    customer_id: null,
    scopes: [],
    allowed_origins: [],
  };
  context.caller = caller;
  const language = languageFor(chooseLocale(req, null, front.default_locale), front.time_zone);
  return {
    ...request,
    language,
    path: pathOf(site_id, token),
    tenant,
    actor,
    caller,
    front,
    shop: front.name,
    token,
    code,
  };
}

/**
 * A visitor with the link acts as the customer of the link, without a login. During registration there is no customer
 * yet.
 */
function actorOf({ site_id }: Tenant, customer_id: string | null): Actor {
  return { type: customer_id ? 'customer' : 'storefront', id: customer_id ?? site_id, customer_id: null };
}

function leadsNowhere(): ShopError {
  return new ShopError('not_found', 'This link is not valid.');
}

/**
 * Counts the visit like a call that reads the shop. Until the form is posted, the page shows only the shop's name and
 * at most the e-mail address to which the link was sent.
 */
export function countLook(visit: LinkVisit): Promise<void> {
  return count(visit, 'storefront.getShop');
}

export const LINK_NOTICES: Notices = {
  not_found: 'account.link_dead',
};

/** Link to the login page, for the end of this page. */
export function toLogin({ tenant, language }: LinkVisit): Notice['link'] {
  return { href: accountLink('', tenant.site_id), label: language.say('page.login_button') };
}

/** Link to the form that requests another mail. */
export function toAccess({ tenant, language }: LinkVisit, view: 'forgot' | 'register'): Notice['link'] {
  const href = accessPath(accountLink('', tenant.site_id), view);
  return { href, label: language.say(view === 'forgot' ? 'access.forgot' : 'access.register') };
}

/** A notice with the shop's branding. */
export function linkNotice({ front, language }: LinkVisit, status: number, notice: Notice): PageAnswer {
  return { status, html: noticePage(notice, { language, front, where: 'account' }) };
}
