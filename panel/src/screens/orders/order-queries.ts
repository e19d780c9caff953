import { type DashboardPaths, unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, readAgain, type Schemas } from '../../api.ts';

export type Order = Schemas['Order'];
export type OrderDetails = Schemas['OrderDetails'];
export type OrderQuery = NonNullable<DashboardPaths['/api/dashboard/orders']['get']['parameters']['query']>;

const FILTERS = ['q', 'status', 'payment_status', 'fulfillment_status', 'source', 'payment_method', 'sort'] as const;
const IDS = ['waiting_for', 'customer_id', 'agent_token_id', 'created_from', 'created_to'] as const;

export const PAGE_SIZE = 50;

/** Converts the filters in the URL to the API's query. The API rejects unknown values, and the list shows the error. */
export function orderQueryOf(params: URLSearchParams): OrderQuery {
  const names = [...FILTERS, ...IDS];
  const given = names.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []));
  return Object.fromEntries(given) as OrderQuery;
}

export function useOrders(query: OrderQuery, page: number) {
  const asked = { ...query, page, limit: PAGE_SIZE };
  return useQuery({
    queryKey: ['orders', 'list', asked],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/orders', { params: { query: asked }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useOrder(order_id: string) {
  return useQuery({ queryKey: ['orders', order_id], queryFn: ({ signal }) => fetchOrder(order_id, signal) });
}

export function fetchOrder(order_id: string, signal?: AbortSignal): Promise<OrderDetails> {
  return unwrap(
    api.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } }, ...(signal && { signal }) }),
  );
}

/** Refetches the data that depends on orders. */
export function ordersChanged(): Promise<void> {
  return readAgain('orders', 'overview', 'inventory', 'products', 'customers', 'agents');
}

/** Fetches the orders that match a query page by page, at most `most`. */
export async function allOrders(query: OrderQuery, most: number): Promise<Order[]> {
  const orders: Order[] = [];
  for (let page = 1; orders.length < most; page += 1) {
    const params = { query: { ...query, sort: query.sort ?? ('oldest' as const), page, limit: 100 } };
    const answer = await unwrap(api.GET('/api/dashboard/orders', { params }));
    orders.push(...answer.orders);
    if (page >= answer.pages) break;
  }
  return orders.slice(0, most);
}
