import { useCan } from '../../session/use-me.ts';
import { ApiKeys } from './api-keys.tsx';
import { StorefrontTokens } from './storefront-tokens.tsx';
import { SyncKeys } from './sync-keys.tsx';

/** API keys, sync keys and storefront tokens. A key is shown once, and can be rotated and revoked. */
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
