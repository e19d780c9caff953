import type { Caller } from '../../http/callers/caller.ts';
import { languageFor } from '../../language/language.ts';
import { ShopError } from '../../shop/errors.ts';
import { findTenant, promiseNoChange } from '../../shop/in-shop.ts';
import { orderLink } from '../../shop/links.ts';
import { type Front, readFront } from '../../shop/merchant/front.ts';
import { followLink, type LinkedOrder } from '../../shop/orders/links.ts';
import type { Actor } from '../../shop/shop.ts';
import type { PageRequest } from '../parts/route.ts';
import type { Visit } from '../parts/visit.ts';

/** A request for an order page through a link in a mail. */
export interface OrderVisit extends Visit {
  linked: LinkedOrder;
  front: Front;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the order of the link. Throws the same `not_found` for unknown links, links of other shops and links of erased
 * customers.
 */
export async function arrive(request: PageRequest): Promise<OrderVisit> {
  const { deadline, db, req, context } = request;
  const [site_id, token] = [String(req.params.site_id).toLowerCase(), String(req.params.token)];
  const tenant = UUID.test(site_id) ? await findTenant(db, site_id) : undefined;
  if (!tenant) throw leadsNowhere();
  const guest: Actor = { type: 'storefront', id: site_id, customer_id: null };
  const { linked, front } = await deadline.inShop(db, tenant, guest, async (shop) => {
    await promiseNoChange(shop);
    return { linked: await followLink(shop, token), front: await readFront(shop) };
  });
  if (!linked) throw leadsNowhere();
  const caller: Caller = {
    kind: 'storefront',
    tenant,
    principal_id: linked.order_id,
    credential_id: linked.order_id,
    customer_id: null,
    scopes: [],
    allowed_origins: [],
  };
  context.caller = caller;
  return {
    ...request,
    language: languageFor(linked.locale, front.time_zone),
    front,
    path: orderLink('', site_id, token),
    tenant,
    caller,
    actor: { ...guest, id: linked.order_id },
    linked,
  };
}

function leadsNowhere(): ShopError {
  return new ShopError('not_found', 'This link does not lead to an order.');
}
