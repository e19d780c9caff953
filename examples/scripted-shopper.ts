import type { Schemas } from '@commerce-backend/sdk';
import { callTool, reply, scriptedModel } from './scripted-model.ts';

/**
 * Searches for the customer's request, with its limits as filters, prepares a purchase of the first result, and replies
 * with its page, its picture and the URL where the customer confirms.
 */
export const scriptedShopper = () =>
  scriptedModel((wish, last) => {
    if (!last) return callTool('find_products', { ...searchFor(wish), limit: 3 });
    const { candidates = [], checkout_url, next } = last.answer as Answer;
    const [best] = candidates;
    if (checkout_url) {
      const name = best?.content.name ?? 'It';
      return reply(`${name} is ready. Please confirm it at ${checkout_url}${linksOf(best)}`);
    }
    if (last.tool === 'find_products' && best)
      return callTool('find_and_buy', { variant_id: best.variant_id, quantity: 1 });
    return reply(next ?? 'The shop has nothing like it.');
  });

type Candidate = Pick<Schemas['AgentCandidate'], 'variant_id' | 'image_url' | 'url' | 'content'>;

interface Answer {
  candidates?: Candidate[];
  checkout_url?: string | null;
  /** The next step that an error advises. */
  next?: string;
}

const linksOf = (best: Candidate | undefined) =>
  best ? `\n  page: ${best.url}\n  picture: ${best.image_url ?? 'none'}` : '';

/** Extracts limits and exclusions from a sentence such as "a mug under 30 euros without plastic". */
function searchFor(wish: string) {
  const [, price_max] = / under (\d+)(?: euros?)?/.exec(wish) ?? [];
  const [, excluded] = / without (\w+)/.exec(wish) ?? [];
  const query = wish.replace(/ under \d+(?: euros?)?/, '').replace(/ without \w+/, '');
  return { query, ...(price_max && { price_max }), ...(excluded && { exclude_text: [excluded] }) };
}
