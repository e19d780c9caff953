import type { Order } from '@commerce-backend/spec';
import { mayReadBuyer } from '../../shop/checkout/binding.ts';
import * as sessions from '../../shop/customers/sessions.ts';
import { accountLink, orderLink, orderToken } from '../../shop/links.ts';
import { keepLink } from '../../shop/orders/links.ts';
import type { Shop } from '../../shop/shop.ts';
import { heldToken } from '../parts/page-session.ts';
import { orderPath } from '../parts/paths.ts';
import type { PageAnswer } from '../parts/route.ts';
import { runAction } from '../parts/visit.ts';
import type { WayToOrder } from './confirmation.ts';
import type { CheckoutVisit, Posted } from './visit.ts';

/**
 * Returns the way to the order for this browser: its page in the account if the customer is logged in here, otherwise
 * the page that needs no login.
 */
export async function findWay(visit: CheckoutVisit, shop: Shop, order: Order): Promise<WayToOrder> {
  const { req, res, guard, checkoutDeps, checkout, path, tenant } = visit;
  const token = order.customer_id ? heldToken(req, checkoutDeps.baseUrl, tenant.site_id) : undefined;
  const session = token ? await sessions.findOnPage(shop, token) : undefined;
  if (session && session.customer_id === order.customer_id) {
    return { path: orderPath(accountLink('', tenant.site_id), order.id) };
  }
  return { form: { path, csrf: guard.csrfFor(req, res, `checkout ${checkout.id}`) } };
}

/**
 * Creates the link to the order's page, once, and redirects to it. A browser that may not see the buyer's data stays on
 * this page.
 */
export function viewOrder(visit: CheckoutVisit, posted: Posted, order_id: string): Promise<PageAnswer> {
  const { tenant, checkoutDeps, checkout, path } = visit;
  const work = async (shop: Shop) => {
    if (!mayReadBuyer(shop, checkout)) return { redirect: path };
    const token = orderToken(shop, checkoutDeps, order_id);
    await keepLink(shop, order_id, token);
    return { redirect: orderLink('', tenant.site_id, token) };
  };
  return runAction(visit, posted, work, (_shop, error) => Promise.reject(error));
}
