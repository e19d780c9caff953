/**
 * A product in the response of a tool. Each token costs money, so null fields are omitted, and less useful fields are
 * shortened or omitted until the response fits. All other fields have the form of the API's response, because programs
 * read them too.
 */

import type { AgentOption, AgentProduct, AgentVariant } from '@commerce-backend/spec';
import type { OperationId } from '../http/contract/contract.ts';
import { sanitizeMerchantText } from '../shop/merchant-text.ts';

type Fields = Record<string, unknown>;

export const PRODUCT: OperationId = 'agent.getProduct';

/** About 500 tokens, at three characters per token. */
const MOST_CHARACTERS = 1_500;

/** One step of shortening. If the product is too long even after the last step, variants are omitted. */
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
];
const SHORTEST: Lengths = { description: 80, skus: false, lists: 3 };

const CHOOSE =
  'For another variant, call find_and_add or find_and_buy with product_id and option, or search_catalog with option.';

export function compactProduct(product: AgentProduct): Fields {
  for (const lengths of [...LENGTHS, SHORTEST]) {
    const shown = shortened(product, lengths);
    if (isShort(shown)) return shown;
  }
  return withFewVariants(product);
}

function isShort(shown: Fields): boolean {
  return JSON.stringify(shown).length <= MOST_CHARACTERS;
}

/**
 * Lists only as many variants as fit, first those that can be bought, and adds the highest price of all variants.
 * Options list their values as texts, because a variant can be chosen by them.
 */
function withFewVariants(product: AgentProduct): Fields {
  const bySale = product.variants.toSorted((a, b) => Number(isSoldOut(a)) - Number(isSoldOut(b)));
  const [dearest] = product.variants.toSorted((a, b) => Number(b.price) - Number(a.price));
  const listing = (count: number) => {
    const { content, ...shown } = shortened({ ...product, variants: bySale.slice(0, count) }, SHORTEST);
    return {
      ...shown,
      ...(dearest?.price !== product.price && { price_max: dearest?.price }),
      variants_left_out: bySale.length - count,
      next: CHOOSE,
      content: { ...(content as Fields), options: product.content.options.map(briefOption) },
    };
  };
  let count = bySale.length;
  while (count > 1 && !isShort(listing(count))) count -= 1;
  return listing(count);
}

function isSoldOut({ availability }: AgentVariant): boolean {
  return availability === 'out_of_stock';
}

function briefOption({ name, values }: AgentOption): Fields {
  const listed = (wanted: boolean) => values.filter(({ available }) => available === wanted).map(({ value }) => value);
  const sold_out = listed(false);
  return { name, values: listed(true), ...(sold_out.length > 0 && { sold_out }) };
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
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
