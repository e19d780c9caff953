import { useCan } from '../../session/use-me.ts';
import { ApiKeys } from './api-keys.tsx';
import { StorefrontTokens } from './storefront-tokens.tsx';
import { SyncKeys } from './sync-keys.tsx';

/** The keys of programs. Each key is shown once, can be replaced by a new one, and can be revoked. */
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
