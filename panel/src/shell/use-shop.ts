import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import { useCan, useMe } from '../session/use-me.ts';

/** The shop's settings, which the layout needs for formats and the logo. */
export function useShopSettings() {
  const { merchant } = useMe();
  return useQuery({
    queryKey: ['settings', merchant.id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/settings', { signal })),
    staleTime: 60_000,
  });
}

/** The key figures of the shop, for the counts in the menu. */
export function useCounts() {
  return useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/overview', { signal })),
    enabled: useCan()('orders:read'),
    staleTime: 60_000,
  }).data;
}
