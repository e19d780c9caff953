import { holdActor } from '../../shop/customers/erasure.ts';
import { ShopError } from '../../shop/errors.ts';
import { getShown } from '../../shop/orders/shown.ts';
import { cancel } from '../../shop/returns/moves.ts';
import { request } from '../../shop/returns/request.ts';
import type { Shop } from '../../shop/shop.ts';
import type { FormBody } from '../parts/form-body.ts';
import { orderPath } from '../parts/paths.ts';
import { incompleteReturn, isOutdated, wantedReturn } from '../parts/returns-section.ts';
import type { PageAnswer } from '../parts/route.ts';
import { count, inShopOfVisit, runAction } from '../parts/visit.ts';
import { orderPage, partsOfOrder } from './order.ts';
import { type AccountVisit, accountForm, idIn } from './visit.ts';

/** Requests a return of the chosen items. Without items or a reason the page is shown again. */
export async function requestReturn(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const order_id = orderOf(visit);
  const wanted = wantedReturn(order_id, body);
  if (!wanted) return showIncomplete(visit, order_id, customer_id, body);
  return act(visit, body, 'request_return', (shop) => request(shop, wanted, customer_id));
}

/** Cancels a return of the customer. */
export async function cancelReturn(visit: AccountVisit, body: FormBody, customer_id: string): Promise<PageAnswer> {
  const id = idIn(body.get('return'));
  if (!id) throw new ShopError('invalid_request', 'The form names no return.');
  return act(visit, body, 'cancel_return', (shop) => cancel(shop, id, customer_id));
}

function orderOf({ order_id }: AccountVisit): string {
  if (!order_id) throw new ShopError('invalid_request', 'The form names no order.');
  return order_id;
}

const OPERATIONS = {
  request_return: 'storefront.requestReturn',
  cancel_return: 'storefront.cancelCustomerReturn',
} as const;

async function act(
  visit: AccountVisit,
  body: FormBody,
  action: keyof typeof OPERATIONS,
  work: (shop: Shop) => Promise<unknown>,
): Promise<PageAnswer> {
  const operation_id = OPERATIONS[action];
  const redirect = `${orderPath(visit.path, orderOf(visit))}#returns`;
  await count(visit, operation_id);
  return runAction(
    visit,
    { operation_id, action, body },
    async (shop) => {
      await holdActor(shop);
      await work(shop);
      return { redirect };
    },
    async (_shop, error) => {
      if (isOutdated(error)) return { redirect };
      throw error;
    },
  );
}

async function showIncomplete(
  visit: AccountVisit,
  order_id: string,
  customer_id: string,
  body: FormBody,
): Promise<PageAnswer> {
  await count(visit, 'storefront.getCustomerOrder');
  return inShopOfVisit(visit, async (shop) => {
    const order = await getShown(shop, order_id, customer_id);
    const parts = await partsOfOrder(shop, order_id, customer_id);
    const csrf = visit.guard.csrfFor(visit.req, visit.res, accountForm(visit));
    return orderPage(visit, order, csrf, parts, incompleteReturn(visit.language, parts.returns, body));
  });
}
