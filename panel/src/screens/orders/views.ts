import { useCallback, useState } from 'react';

/** A view is a name for filters of the list of orders, written as in the URL. */
export interface View {
  name: string;
  query: string;
}

export const BUILT_IN: View[] = [
  { name: 'All', query: '' },
  { name: 'To pay', query: 'waiting_for=payment' },
  { name: 'To ship', query: 'waiting_for=shipping' },
  { name: 'Shipped', query: 'fulfillment_status=fulfilled' },
  { name: 'Cancelled', query: 'status=cancelled' },
  { name: 'By agents', query: 'source=agent' },
];

const MOST = 20;

/** The views saved in this browser, for one merchant. */
export function useOwnViews(merchant_id: string) {
  const place = `orders-views:${merchant_id}`;
  const [views, setViews] = useState(() => read(place));
  const change = useCallback(
    (next: View[]) => {
      setViews(next);
      write(place, next);
    },
    [place],
  );
  const save = (name: string, query: string) =>
    change([...views.filter((view) => view.name !== name), { name, query: canonical(query) }].slice(-MOST));
  const remove = (name: string) => change(views.filter((view) => view.name !== name));
  return { views, save, remove };
}

/** The query with its filters in one fixed order, and without the page. */
export function canonical(query: string): string {
  const params = new URLSearchParams(query);
  params.delete('page');
  params.sort();
  return params.toString();
}

function read(place: string): View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    // The stored views are invalid, or the browser has no storage.
    return [];
  }
}

function write(place: string, views: View[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(views));
  } catch {
    // Without storage, the views last until the screen is left.
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && typeof value.name === 'string' && 'query' in value && typeof value.query === 'string';
}
