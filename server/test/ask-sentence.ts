import { findNeeds } from '../src/search/rank/needs.ts';
import { searchableProducts } from '../src/shop/agents/find.ts';
import { inShopAsSystem } from '../src/shop/in-shop.ts';
import { testServer } from './server.ts';

/**
 * Returns how a shop interprets a sentence, and what it finds: the candidates, the wanted quantities, the meaning of
 * each part, and the price limits.
 */
export async function askSentence({ site_id }: { site_id: string }, query: string) {
  const { db } = await testServer();
  const { candidates, understood, needs } = await inShopAsSystem(db, site_id, (shop) =>
    findNeeds(shop, searchableProducts(shop), { query }),
  );
  return {
    names: candidates.map(({ product }) => product.name),
    values: candidates.map(({ variant }) => [variant.option1, variant.option2].filter(Boolean).join(' ')),
    availability: candidates.map(({ availability }) => availability),
    quantities: needs.map(({ quantity }) => quantity),
    fates: Object.fromEntries(understood.map(({ text, kind, fate }) => [text, `${kind} ${fate}`])),
    limits: understood.flatMap(({ kind, min, max }) => (kind === 'price' ? [{ min, max }] : [])),
  };
}
