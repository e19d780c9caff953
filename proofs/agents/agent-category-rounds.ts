/**
 * An agent token for some categories is used over all protocols concurrently, while products leave these categories and
 * carts change.
 */

import { type AgentArena, type Pair, wayOf } from './agent-on-all-protocols.ts';
import type { AgentAnswer, Prepared } from './agent-protocols.ts';

export interface Kept {
  tried: number;
  /** The number of order lines with products outside the categories. */
  outside: number;
}

interface Shelf {
  allowed: string;
  foreign: string;
}

export async function openShelf(arena: AgentArena): Promise<Shelf> {
  const [allowed, foreign] = [await arena.sell('Kitchen'), await arena.sell('Garden')];
  return { allowed: allowed.variant_id, foreign: foreign.variant_id };
}

const REFUSED = ['category_not_allowed'];

export async function stayWithin(arena: AgentArena, shelf: Shelf, count: number): Promise<Kept> {
  const pair = await arena.newPair(100_000_000, { categories: ['kitchen'] });
  const { agent } = pair;
  const tried = await arena.expectRefused('a purchase outside of the categories', REFUSED, (way, at) =>
    agent.buy(way, at, shelf.foreign),
  );
  const { left, tried: more } = await whileLeaving(arena, pair, count);
  const outside = await outsideOf(arena, pair, shelf.foreign, left);
  return { tried: tried + more, outside };
}

interface Leaving {
  product_id: string;
  /** The database's time just after the response to the change of the category. */
  at: string;
}

/**
 * A product leaves the category while checkouts of it are confirmed and the agent buys more of it. Calls that begin
 * after the response to the change must be refused.
 */
async function whileLeaving(arena: AgentArena, pair: Pair, count: number): Promise<{ left: Leaving; tried: number }> {
  const { product_id, variant_id } = await arena.sell('Kitchen');
  const ready = await arena.prepareMany(pair, variant_id, count);
  let over = false;
  let tried = 0;
  const judged = async (what: string, act: () => Promise<Pick<AgentAnswer, 'status' | 'error' | 'text'>>) => {
    const begunAfter = over;
    const { status, error, text } = await act();
    tried += 1;
    const refused = error === 'category_not_allowed';
    const known = refused || (!begunAfter && (error === undefined || MEANWHILE.includes(error)));
    if (!known)
      arena.violations.add(
        `${what} ${begunAfter ? 'after' : 'while'} the product left the agent's categories: expected category_not_allowed, got ${status} ${text.slice(0, 300)}`,
      );
  };
  const late = Math.floor(count / 2);
  const confirm = ({ id }: Prepared) => judged('a confirmation', () => arena.confirm(pair, id));
  const buy = (_: Prepared, i: number) =>
    judged(`a purchase by ${wayOf(i)}`, () => pair.agent.buy(wayOf(i), arena.at(), variant_id));
  const leave = async () => {
    await arena.asStaff('PATCH', `/products/${product_id}`, { product_type: 'Garden' });
    over = true;
    return arena.now();
  };
  const [at] = await Promise.all([
    leave(),
    Promise.all(ready.slice(late).map(confirm)),
    Promise.all(ready.slice(late).map(buy)),
  ]);
  await Promise.all([...ready.slice(0, late).map(confirm), ...ready.slice(0, late).map(buy)]);
  return { left: { product_id, at }, tried };
}

/** The error if the customer's checkout has changed, so that it must be confirmed again. */
const MEANWHILE = ['price_changed'];

async function outsideOf({ owner, site, violations }: AgentArena, pair: Pair, foreign: string, left: Leaving) {
  const { rows } = await owner.query<{ outside: number; carts: number }>(
    `select (
       select count(*)::int from commerce.orders o join commerce.order_lines l on l.site_id = o.site_id and l.order_id = o.id
       where o.site_id = $1 and o.agent_token_id = $2
         and (l.variant_id = $3 or (l.product_id = $4 and o.created_at > $5))) as outside, (
       select count(*)::int from commerce.carts c join commerce.checkouts k on k.site_id = c.site_id and k.cart_id = c.id
       where c.site_id = $1 and c.agent_token_id = $2 and k.created_at > $5) as carts`,
    [site.site_id, pair.token_id, foreign, left.product_id, left.at],
  );
  const { outside = 0, carts = 0 } = rows[0] ?? {};
  if (outside > 0) violations.add(`${outside} order lines have a product outside the agent's categories`);
  if (carts > 0)
    violations.add(`${carts} checkouts contain a product that had been removed from the agent's categories`);
  return outside;
}
