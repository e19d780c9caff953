import type { CollectionRule, CollectionSortOrder } from '@commerce-backend/spec';
import type { Inputs, Schemas, Versioned } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';

export type Collection = Schemas['Collection'];
type Input = Inputs['CollectionInput'];

export type ListedProduct = Pick<Schemas['Product'], 'id' | 'name' | 'status'> & { picture: string | undefined };

/** A collection in the editor: the API's request body, with the manually chosen products. */
export type CollectionDraft = Omit<Input, 'product_ids'> &
  Required<Pick<Input, 'type' | 'rules' | 'sort_order' | 'published'>> & { products: ListedProduct[] };

export type RuleDraft = CollectionDraft['rules'][number];

export const Field = fieldsOf<CollectionDraft>();

export const SORT_ORDERS: Record<CollectionSortOrder, string> = {
  manual: t('Manually'),
  best_selling: t('Best selling first'),
  title_asc: t('Name, A to Z'),
  title_desc: t('Name, Z to A'),
  price_asc: t('Price, low to high'),
  price_desc: t('Price, high to low'),
  created_desc: t('Newest first'),
  created_asc: t('Oldest first'),
};

const WORDS = ['equals', 'not_equals', 'contains'] as const;

/** Operators for each field of a rule. */
export const OPERATORS: Record<RuleDraft['field'], readonly RuleDraft['operator'][]> = {
  tag: WORDS,
  product_type: WORDS,
  vendor: WORDS,
  price: ['less_than', 'greater_than', 'equals'],
  in_stock: ['equals'],
};

export const FIELD_NAMES: Record<RuleDraft['field'], string> = {
  tag: t('Tag'),
  product_type: t('Type'),
  vendor: t('Vendor'),
  price: t('Price'),
  in_stock: t('In stock'),
};

export const OPERATOR_NAMES: Record<RuleDraft['operator'], string> = {
  equals: 'is',
  not_equals: t('is not'),
  contains: 'contains',
  greater_than: t('is more than'),
  less_than: t('is less than'),
};

export function emptyCollection(): CollectionDraft {
  return {
    title: '',
    type: 'manual',
    rules: [newRule()],
    rules_match: 'all',
    sort_order: 'manual',
    published: true,
    products: [],
  };
}

export function newRule(): RuleDraft {
  return { field: 'tag', operator: 'equals', value: '' };
}

export function listedProductOf({ id, name, status, images }: Schemas['Product']): ListedProduct {
  return { id, name, status, picture: images[0]?.url };
}

export function collectionDraftOf({ data, etag }: Versioned<Collection>): Versioned<CollectionDraft> {
  const { title, description, handle, image_url, published } = data;
  const draft: CollectionDraft = {
    ...{ title, description, handle, image_url, published },
    type: data.type === 'automatic' ? 'automatic' : 'manual',
    rules: (data.rules ?? []) as CollectionRule[],
    rules_match: data.rules_match === 'any' ? 'any' : 'all',
    sort_order: data.sort_order as CollectionSortOrder,
    products: data.products.map(listedProductOf),
  };
  return { data: draft, etag };
}
