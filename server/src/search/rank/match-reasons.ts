import type { Product, Understood, Variant } from '@commerce-backend/spec';
import { isNumber, stripHtml, termsOf, wordsByTerm } from '../words/normalize.ts';
import type { TermGroup } from '../words/term-groups.ts';
import type { OptionMatch } from './variants.ts';

/** For each field of a product, its words by their term; the fields are in the order in which they are reported. */
type FieldWords = [field: string, words: ReadonlyMap<string, string>][];

export function fieldWords({ name, vendor, product_type, tags, metadata, description, options }: Product): FieldWords {
  const fields = {
    name,
    vendor: vendor ?? '',
    type: product_type ?? '',
    tags: tags.join(' '),
    options: options.flatMap((option) => option.values).join(' '),
    attributes: Object.values(metadata ?? {}).join(' '),
    description,
  };
  return Object.entries(fields).map(([field, text]) => [field, wordsByTerm(stripHtml(text))]);
}

/**
 * The reasons for which a variant of a product with these words matches, such as `name: desk, lamp` or `price 49.00
 * within the limit`.
 */
export function matchReasons(
  fields: FieldWords,
  variant: Variant,
  query: { groups: TermGroup[]; values: OptionMatch[]; understood: Pick<Understood, 'kind' | 'text' | 'fate'>[] },
): string[] {
  const applied = query.understood.filter(({ fate }) => fate === 'applied');
  const own = [variant.option1, variant.option2, variant.option3];
  const values = query.values.filter(({ value }) => own.includes(value)).map(({ value }) => value);
  return [
    ...wordReasons(fields, query.groups, new Set(values.flatMap(termsOf))),
    ...[...new Set(values)].map((value) => `option: ${value}`),
    ...(applied.some(({ kind }) => kind === 'price') ? [`price ${variant.price} within the limit`] : []),
    ...applied.flatMap(({ kind, text }) => (QUOTED_KINDS.has(kind) ? [`as asked: ${text}`] : [])),
  ];
}

const QUOTED_KINDS = new Set<Understood['kind']>(['rating', 'reviews', 'without', 'in_stock']);

/** The fields that contain words of the query. Each word is only listed for the first of them. */
function wordReasons(fields: FieldWords, groups: TermGroup[], values: Set<string>): string[] {
  const explained = new Set<TermGroup>();
  return fields.flatMap(([field, words]) => {
    const wanted = groups.filter(
      (group) => !explained.has(group) && (SHORT_FIELDS.has(field) || !isExplainedOtherwise(group, values)),
    );
    const found = wanted.flatMap((group) => {
      const term = group.alternatives.find((alternative) => words.has(alternative.term))?.term;
      return term ? [{ group, word: words.get(term) }] : [];
    });
    for (const { group } of found) explained.add(group);
    return found.length > 0 ? [`${field}: ${[...new Set(found.map(({ word }) => word))].join(', ')}`] : [];
  });
}

const SHORT_FIELDS = new Set(['name', 'vendor', 'type', 'tags']);

/**
 * Whether a word is not a reason in a long field: a number can mean anything there, and option values of the variant
 * are listed separately.
 */
function isExplainedOtherwise(group: TermGroup, values: Set<string>): boolean {
  return isNumber(group.text) || group.alternatives.some(({ term }) => values.has(term));
}
