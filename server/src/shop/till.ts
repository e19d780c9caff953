import { createHmac } from 'node:crypto';
import type { PaymentProvider } from './payments/provider.ts';
import type { Shop } from './shop.ts';
import { tokenFrom } from './tokens.ts';

/** What selling needs besides the shop. */
export interface Till {
  /** The configured public address, for links. */
  baseUrl: string;
  /** The server's own secret, from which the secrets in links are derived. */
  secretKey: string;
  /** Who takes cards; none means that none are taken. */
  card: PaymentProvider | undefined;
}

/**
 * The secret in the address of a checkout's page. It follows from the server's secret, so that it can be told again while
 * only its hash is stored.
 */
export function checkoutToken({ siteId }: Shop, { secretKey }: Till, checkout_id: string): string {
  const seed = createHmac('sha256', secretKey).update(`checkout|${siteId}|${checkout_id}`).digest();
  return tokenFrom('checkout', seed);
}

export function checkoutUrl(shop: Shop, till: Till, checkout_id: string): string {
  return `${till.baseUrl}/checkout/${checkoutToken(shop, till, checkout_id)}`;
}
