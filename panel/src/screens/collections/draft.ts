import type { CollectionRule, CollectionSortOrder } from '@commerce-backend/spec';
import { slugOf } from '../../../../cli/src/formats/slug.ts';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import type { Schemas } from '../../api.ts';

export type Collection = Schemas['Collection'];

export interface RuleDraft {
  key: string;
  field: CollectionRule['field'];
  operator: CollectionRule['operator'];
  value: string;
}

export interface CollectionDraft {
  title: string;
  description: string;
  handle: string;
  type: 'manual' | 'automatic';
  rules: RuleDraft[];
  rules_match: 'all' | 'any';
  image_url: string;
  sort_order: CollectionSortOrder;
  published: boolean;
}

export const SORT_ORDERS: Record<CollectionSortOrder, string> = {
  manual: 'My own order',
  best_selling: 'Best selling first',
  title_asc: 'Name, A to Z',
  title_desc: 'Name, Z to A',
  price_asc: 'Price, low to high',
  price_desc: 'Price, high to low',
  created_desc: 'Newest first',
  created_asc: 'Oldest first',
};

const WORDS = ['equals', 'not_equals', 'contains'] as const;

/** What each field of a rule can be compared by. */
export const OPERATORS: Record<RuleDraft['field'], readonly RuleDraft['operator'][]> = {
  tag: WORDS,
  product_type: WORDS,
  vendor: WORDS,
  price: ['less_than', 'greater_than', 'equals'],
  in_stock: ['equals'],
};

export const FIELD_NAMES: Record<RuleDraft['field'], string> = {
  tag: 'Tag',
  product_type: 'Type',
  vendor: 'Vendor',
  price: 'Price',
  in_stock: 'In stock',
};

export const OPERATOR_NAMES: Record<RuleDraft['operator'], string> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  greater_than: 'is more than',
  less_than: 'is less than',
};

export function emptyCollection(): CollectionDraft {
  return {
    title: '',
    description: '',
    handle: '',
    type: 'manual',
    rules: [newRule()],
    rules_match: 'all',
    image_url: '',
    sort_order: 'manual',
    published: true,
  };
}

export function newRule(): RuleDraft {
  return { key: crypto.randomUUID(), field: 'tag', operator: 'equals', value: '' };
}

export function collectionDraftOf(collection: Collection): CollectionDraft {
  const rules = (collection.rules ?? []) as CollectionRule[];
  return {
    title: collection.title,
    description: collection.description ?? '',
    handle: collection.handle,
    type: collection.type === 'automatic' ? 'automatic' : 'manual',
    rules: rules.map((rule, i) => ({ key: String(i), ...rule })),
    rules_match: collection.rules_match === 'any' ? 'any' : 'all',
    image_url: collection.image_url ?? '',
    sort_order: collection.sort_order as CollectionSortOrder,
    published: collection.published,
  };
}

/** What the API takes of a draft. */
export function collectionFields(draft: CollectionDraft) {
  const { type, rules_match } = draft;
  const rules = draft.rules.map(({ field, operator, value }) => ({
    field,
    operator,
    value: value.trim(),
  }));
  return {
    title: draft.title.trim(),
    description: draft.description || null,
    image_url: webAddress(draft.image_url) || null,
    sort_order: draft.sort_order,
    published: draft.published,
    ...(draft.handle.trim() !== '' && { handle: slugOf(draft.handle) || draft.handle.trim() }),
    ...(type === 'automatic' && { rules, rules_match }),
  };
}

/** A collection in words, as the dialog about a conflict shows it. */
export function inFields(draft: CollectionDraft): Map<string, string> {
  return new Map([
    ['Title', draft.title],
    ['Description', draft.description],
    ['Address', draft.handle],
    ['Picture', draft.image_url],
    ['Order', SORT_ORDERS[draft.sort_order]],
    ['Shown in the shop', draft.published ? 'yes' : 'no'],
    ...(draft.type === 'automatic'
      ? ([
          ['Rules', draft.rules.map(inWords).join('\n')],
          ['Rules that must hold', draft.rules_match],
        ] as const)
      : []),
  ]);
}

function inWords({ field, operator, value }: RuleDraft): string {
  return `${FIELD_NAMES[field]} ${OPERATOR_NAMES[operator]} ${value}`;
}

/** Of a draft, what its author changed; the rest as it is now. */
export function rebasedCollection(was: CollectionDraft, mine: CollectionDraft, now: CollectionDraft): CollectionDraft {
  const merged = { ...now };
  for (const name of Object.keys(now) as (keyof CollectionDraft)[]) {
    if (JSON.stringify(mine[name]) !== JSON.stringify(was[name])) Object.assign(merged, { [name]: mine[name] });
  }
  return merged;
}
