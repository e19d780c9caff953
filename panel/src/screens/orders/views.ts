import { useCallback, useState } from 'react';
import { t } from '../../language/texts.ts';

/** A named set of filters for the order list, as a URL query. */
export interface View {
  name: string;
  query: string;
}

export const BUILT_IN: View[] = [
  { name: t('All'), query: '' },
  { name: t('To pay'), query: 'waiting_for=payment' },
  { name: t('To ship'), query: 'waiting_for=shipping' },
  { name: t('Shipped'), query: 'fulfillment_status=fulfilled' },
  { name: t('Cancelled'), query: 'status=cancelled' },
  { name: t('By agents'), query: 'source=agent' },
];

const MOST = 20;

/** Views saved in this browser for a merchant. */
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
  // Reads the stored views again, because an undo may come after later changes.
  const others = (name: string) => read(place).filter((view) => view.name !== name);
  const save = (name: string, query: string) =>
    change([...others(name), { name, query: canonical(query) }].slice(-MOST));
  const remove = (name: string) => change(others(name));
  return { views, save, remove };
}

/** The query without the page and with its filters in a fixed order, for comparison. */
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
    // The stored views are invalid, or the browser allows no storage.
    return [];
  }
}

function write(place: string, views: View[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(views));
  } catch {
    // Without storage, views exist only until the user leaves the screen.
  }
}

function isView(value: unknown): value is View {
  if (typeof value !== 'object' || value === null) return false;
  return 'name' in value && typeof value.name === 'string' && 'query' in value && typeof value.query === 'string';
}
