import { useCan } from '../../session/use-me.ts';
import { ApiKeys } from './api-keys.tsx';
import { StorefrontTokens } from './storefront-tokens.tsx';
import { SyncKeys } from './sync-keys.tsx';

/** Keys of programs: each is shown once, can be changed for a new one, and ended at once. */
export function KeySettings() {
  const can = useCan();
  if (!can('keys:write')) return null;
  return (
    <>
      <ApiKeys />
      <StorefrontTokens />
      <SyncKeys />
    </>
  );
}
