import { useCallback, useMemo } from 'react';
import { useLocation, useRouter, useSearch } from 'wouter';

/**
 * The filters of a list, stored in the URL, so that the list can be linked, reloaded and restored with the back button.
 * Changing a filter returns to the first page.
 */
export function useSearchState(): [URLSearchParams, (changes: Record<string, string | undefined>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const { base } = useRouter();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback(
    (changes: Record<string, string | undefined>) => {
      // A screen stays mounted until the next one has loaded. A late change of its filters must not navigate back to
      // it.
      if (window.location.pathname !== base + path) return;
      const next = new URLSearchParams(search);
      if (!('page' in changes)) next.delete('page');
      for (const [name, value] of Object.entries(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      const query = next.toString();
      navigate(query ? `${path}?${query}` : path, { replace: true });
    },
    [search, path, base, navigate],
  );
  return [params, change];
}
