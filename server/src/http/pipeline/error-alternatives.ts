import type { RefusedCall } from '../../shop/agents/nearest.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Received } from '../received.ts';

/** Adds alternatives to an error, such as other products, if the caller is an agent. */
export async function withAlternatives(shop: Shop, error: unknown, { params, body }: Received): Promise<unknown> {
  const alternatives = await import('../../shop/agents/alternatives.ts');
  return alternatives.withAlternatives(shop, error, { path: params, body: body ?? {} } as RefusedCall);
}
