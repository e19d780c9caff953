import type { RefusedCall } from '../../shop/agents/nearest.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Received } from '../received.ts';

/** Adds alternatives to an error, such as other products, if the caller is an agent. */
export async function withAdvice(shop: Shop, error: unknown, { params, body }: Received): Promise<unknown> {
  const { withAlternatives } = await import('../../shop/agents/alternatives.ts');
  return withAlternatives(shop, error, { path: params, body: body ?? {} } as RefusedCall);
}
