import type { Product, Understood, Variant } from '@commerce-backend/spec';
import { isNumber, plainText, termsOf, wordsByTerm } from '../words/normalize.ts';
import type { Group } from '../words/term-groups.ts';
import type { NamedValue } from './variants.ts';

/** Why a variant of a product is an answer, such as `name: desk, lamp` or `price 49.00 within the limit`. */
export function reasonsOf(
  product: Product,
  variant: Variant,
  asked: { groups: Group[]; values: NamedValue[]; understood: Pick<Understood, 'kind' | 'text' | 'fate'>[] },
): string[] {
  const applied = asked.understood.filter(({ fate }) => fate === 'applied');
  const own = [variant.option1, variant.option2, variant.option3];
  const values = asked.values.filter(({ value }) => own.includes(value)).map(({ value }) => value);
  return [
    ...wordReasons(product, asked.groups, new Set(values.flatMap(termsOf))),
    ...[...new Set(values)].map((value) => `option: ${value}`),
    ...(applied.some(({ kind }) => kind === 'price') ? [`price ${variant.price} within the limit`] : []),
    ...applied.flatMap(({ kind, text }) => (AS_ASKED.has(kind) ? [`as asked: ${text}`] : [])),
  ];
}

const AS_ASKED = new Set<Understood['kind']>(['rating', 'reviews', 'without', 'in_stock']);

/** Where the words asked for stand: each in the first place that has it. */
function wordReasons(product: Product, groups: Group[], values: Set<string>): string[] {
  const { name, vendor, product_type, tags, metadata, description, options } = product;
  const places = {
    name,
    vendor: vendor ?? '',
    type: product_type ?? '',
    tags: tags.join(' '),
    options: options.flatMap((option) => option.values).join(' '),
    attributes: Object.values(metadata ?? {}).join(' '),
    description,
  };
  const told = new Set<Group>();
  return Object.entries(places).flatMap(([place, text]) => {
    const wanted = groups.filter((group) => !told.has(group) && (LABELS.has(place) || !isSaidOtherwise(group, values)));
    const words = wordsByTerm(plainText(text));
    const found = wanted.flatMap((group) => {
      const term = group.alternatives.find((alternative) => words.has(alternative.term))?.term;
      return term ? [{ group, word: words.get(term) }] : [];
    });
    for (const { group } of found) told.add(group);
    return found.length > 0 ? [`${place}: ${[...new Set(found.map(({ word }) => word))].join(', ')}`] : [];
  });
}

const LABELS = new Set(['name', 'vendor', 'type', 'tags']);

/** A number in a text can be that of anything, and a value of the variant is a reason of its own. */
function isSaidOtherwise(group: Group, values: Set<string>): boolean {
  return isNumber(group.text) || group.alternatives.some(({ term }) => values.has(term));
}
