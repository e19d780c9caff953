import { ShopError } from '../../shop/errors.ts';
import { findTenant, promiseNoChange } from '../../shop/in-shop.ts';
import { withdrawLink } from '../../shop/links.ts';
import { getShown } from '../../shop/orders/shown.ts';
import { type WithdrawableLine, withdrawableLines } from '../../shop/withdrawals/lines.ts';
import { type CustomerVisit, recognize } from '../parts/customer-visit.ts';
import type { PageRequest } from '../parts/route.ts';
import { inShopOfVisit } from '../parts/visit.ts';
import { proofOf } from '../parts/withdraw-pass.ts';

/** A request for the page on which consumers withdraw from contracts. */
export interface WithdrawVisit extends CustomerVisit {
  /** The order in the URL, if the reader may see it (`knownOrder`). Data of an order is shown only if this is set. */
  known: KnownOrder | undefined;
}

export interface KnownOrder {
  id: string;
  number: string;
  email: string;
  name: string;
  lines: WithdrawableLine[];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws `not_found` if the shop does not exist or its page is off. */
export async function arrive(request: PageRequest): Promise<WithdrawVisit> {
  const { db, hosts, req } = request;
  const site_id = String(req.params.site_id ?? hosts.siteAt(req) ?? '').toLowerCase();
  const tenant = UUID.test(site_id) ? await findTenant(db, site_id) : undefined;
  if (!tenant) throw new ShopError('not_found', 'There is no such shop.');
  const visit = { ...request, tenant, ...(await recognize(request, tenant)) };
  if (!visit.front.withdrawal_page) throw new ShopError('not_found', 'The shop has no such page.');
  const path = req.params.site_id === undefined ? '/withdraw' : withdrawLink('', site_id);
  const query = req.originalUrl.split('?')[1];
  const known = await knownOrder({ ...visit, path });
  return { ...visit, path: known && query ? `${path}?${query}` : path, known };
}

/**
 * The order of the link, if the reader is its customer, or has entered its e-mail address or postal code on the order
 * page.
 */
async function knownOrder(visit: CustomerVisit): Promise<KnownOrder | undefined> {
  const { req, tenant, session, checkoutDeps } = visit;
  const { order, pass } = req.query;
  if (typeof order !== 'string' || !UUID.test(order)) return undefined;
  const proof = proofOf(pass, checkoutDeps.secretKey, tenant.site_id, order);
  if (!proof && !session) return undefined;
  try {
    return await inShopOfVisit(visit, async (shop) => {
      await promiseNoChange(shop);
      const shown = await getShown(shop, order, proof ? undefined : session?.customer_id);
      const { first_name, last_name } = shown.billing_address ?? shown.shipping_address ?? {};
      return {
        id: order,
        number: shown.order_number,
        email: (proof !== 'code' && shown.email) || (session?.email ?? ''),
        name: [first_name, last_name].filter(Boolean).join(' '),
        lines: await withdrawableLines(shop, order),
      };
    });
  } catch (error) {
    if (error instanceof ShopError && error.code === 'not_found') return undefined;
    throw error;
  }
}
