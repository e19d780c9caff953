import { enqueueForOwners, type SensitiveChange } from '../../shop/mail.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';

/**
 * Mails the shop's owners about a change that needed a step-up. Changes of the caller's own account send another mail.
 */
export async function tellOwners(shop: Shop, operation: Operation, caller: Caller): Promise<void> {
  if (operation.merchantOptional) return;
  const who = caller.kind === 'staff' ? caller.principal_id : null;
  await enqueueForOwners(shop, { change: changeOf(operation), who, at: new Date().toISOString() });
}

function changeOf({ path }: Operation): SensitiveChange {
  if (/\/(api-keys|storefront-tokens|sync-keys)/.test(path)) return 'keys';
  if (path.includes('/assistants')) return 'assistants';
  if (path.includes('/payment-account')) return 'payments';
  return path.endsWith('/settings') ? 'settings' : 'staff';
}
