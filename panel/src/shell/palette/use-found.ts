import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { nameOf } from '../../screens/orders/texts.ts';
import { useCan } from '../../session/use-me.ts';
import type { Entry } from './entries.ts';

const LEAST = 2;
const MOST = 5;

/** Orders, customers and products that match the text, by the searches of their lists in parallel. */
export function useFound(text: string): { entries: Entry[]; fetching: boolean; error: unknown } {
  const can = useCan();
  const { money } = useFormat();
  const query = { q: text, limit: MOST };
  const enabled = text.length >= LEAST;
  const orders = useSearch(['orders', 'found', text], enabled && can('orders:read'), async (signal) => {
    const found = await unwrap(api.GET('/api/dashboard/orders', { params: { query }, signal }));
    return found.orders.map((order): Entry => orderEntry(order, money(order.total, order.currency)));
  });
  const customers = useSearch(['customers', 'found', text], enabled && can('customers:read'), async (signal) => {
    const found = await unwrap(api.GET('/api/dashboard/customers', { params: { query }, signal }));
    return found.customers.map(customerEntry);
  });
  const products = useSearch(['products', 'found', text], enabled && can('products:read'), async (signal) => {
    const found = await unwrap(api.GET('/api/dashboard/products', { params: { query }, signal }));
    return found.products.map(productEntry);
  });
  const all = [orders, customers, products];
  return {
    entries: enabled ? all.flatMap(({ data = [] }) => data) : [],
    fetching: all.some(({ isFetching }) => isFetching),
    error: all.find(({ error }) => error)?.error,
  };
}

function useSearch(queryKey: QueryKey, enabled: boolean, find: (signal: AbortSignal) => Promise<Entry[]>) {
  // Keeps the previous results while the next ones load, so that the list does not flicker.
  return useQuery({ queryKey, queryFn: ({ signal }) => find(signal), enabled, placeholderData: keepPreviousData });
}

function orderEntry(order: Schemas['Order'], total: string): Entry {
  return {
    id: order.id,
    group: t('Orders'),
    title: `${order.order_number} · ${nameOf(order)}`,
    detail: `${total} · ${label(order.payment_status)}`,
    icon: 'orders',
    to: `/orders/${order.id}`,
  };
}

function customerEntry({ id, first_name, last_name, email }: Schemas['CustomerRecord']): Entry {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  const to = `/customers/${id}`;
  return { id, group: t('Customers'), title: name || email, detail: name ? email : '', icon: 'customers', to };
}

function productEntry({ id, name, status }: Schemas['Product']): Entry {
  return { id, group: t('Products'), title: name, detail: label(status), icon: 'products', to: `/products/${id}` };
}

/** The value, once it has not changed for some time. */
export function useDelayed(value: string, wait: number): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return delayed;
}
