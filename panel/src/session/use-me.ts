import { type CommerceError, unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, meKey, queryClient, type Schemas } from '../api.ts';

/** The logged-in staff member, the merchant, and the role's permissions. */
export interface Me {
  staff: Schemas['Staff'];
  merchant: Schemas['Merchant'];
  role: string;
  scopes: string[];
}

/**
 * The logged-in user; null if nobody is logged in. Refetched when the window gets the focus, when another screen opens
 * and when a call is rejected with 401 or 403 (api.ts), because roles can change.
 */
export function useSession() {
  return useQuery({
    queryKey: meKey,
    queryFn: async ({ signal }) => {
      try {
        return await unwrap(api.GET('/api/dashboard/me', { signal }));
      } catch (error) {
        if ((error as CommerceError).status === 401) return null;
        throw error;
      }
    },
    refetchOnWindowFocus: true,
  });
}

/** Refetches the session, unless it was fetched just before. */
export function renewSession(): void {
  void queryClient.refetchQueries({ queryKey: meKey, stale: true }, { cancelRefetch: false });
}

/** After a login, refetches the session, and all shown data that could not be loaded. */
export async function refreshSession(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: meKey });
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' && state.data === undefined,
  });
}

/** Logs out and reloads the page, so that no data stays in memory. */
export async function endSession(): Promise<void> {
  await api.POST('/api/dashboard/auth/logout');
  window.location.assign('/panel/');
}

export const MeContext = createContext<Me | undefined>(undefined);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for screens behind the login.');
  return me;
}

/** Whether the role includes a scope. Only for hiding actions; the server decides. */
export function useCan(): (scope: string) => boolean {
  const { scopes } = useMe();
  return (scope) => scopes.includes(scope);
}
