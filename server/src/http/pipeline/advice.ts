import type { RefusedCall } from '../../shop/agents/nearest.ts';
import type { Shop } from '../../shop/shop.ts';
import type { Received } from '../received.ts';

/** A refusal with what an agent could do instead. Loaded when it is first needed. */
export async function withAdvice(shop: Shop, error: unknown, { params, body }: Received): Promise<unknown> {
  const { withAlternatives } = await import('../../shop/agents/alternatives.ts');
  return withAlternatives(shop, error, { path: params, body: body ?? {} } as RefusedCall);
}
