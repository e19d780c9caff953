/**
 * A product in the response of a tool. Models pay for each token, so null fields are omitted, and less useful fields
 * are shortened or omitted until the response fits. All other fields have the form of the API's response, because
 * programs read them too.
 */

import type { AgentProduct } from '@commerce-backend/spec';
import type { OperationId } from '../http/contract/contract.ts';
import { sanitizeMerchantText } from '../shop/merchant-text.ts';

type Fields = Record<string, unknown>;

export const PRODUCT: OperationId = 'agent.getProduct';

/** About 500 tokens, at three characters per token. */
const MOST_CHARACTERS = 1_500;

/** One step of shortening. If a product is still too long after the last step, it is returned at that length. */
interface Lengths {
  description: number;
  skus: boolean;
  /** Maximum number of tags, and of attributes. */
  lists: number;
}
const LENGTHS: Lengths[] = [
  { description: 1_000, skus: true, lists: 50 },
  { description: 400, skus: true, lists: 20 },
  { description: 300, skus: false, lists: 10 },
  { description: 160, skus: false, lists: 5 },
  { description: 80, skus: false, lists: 3 },
];

export function compactProduct(product: AgentProduct): Fields {
  let shown: Fields = {};
  for (const lengths of LENGTHS) {
    shown = shortened(product, lengths);
    if (JSON.stringify(shown).length <= MOST_CHARACTERS) break;
  }
  return shown;
}

function shortened({ content, variants, ...product }: AgentProduct, { description, skus, lists }: Lengths): Fields {
  return present({
    ...product,
    variants: variants.map((variant) =>
      present({ ...variant, content: present({ ...variant.content, sku: skus ? variant.content.sku : null }) }),
    ),
    content: present({
      ...content,
      description: sanitizeMerchantText(content.description, description),
      tags: content.tags.slice(0, lists),
      attributes: content.attributes.slice(0, lists),
    }),
  });
}

/** Removes null fields. Lists stay, even if they are empty. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
