import { unwrap } from '@commerce-backend/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useController } from 'react-hook-form';
import { api, type Inputs } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';

/** Selects whether a discount code applies to everything, or to certain collections and products. */
export function Targets() {
  const { field: products } = useController<Inputs['DiscountInput'], 'product_ids'>({ name: 'product_ids' });
  const { field: collections } = useController<Inputs['DiscountInput'], 'collection_ids'>({ name: 'collection_ids' });
  const chosen = ({ value = [], onChange }: { value: string[] | undefined; onChange: (ids: string[]) => void }) => ({
    ids: value,
    onAdd: (id: string) => onChange([...value, id]),
    onRemove: (id: string) => onChange(value.filter((each) => each !== id)),
  });
  return (
    <fieldset className="stack">
      <legend>{t('Applies to')}</legend>
      {!products.value?.length && !collections.value?.length && <p>{t('Everything in the cart.')}</p>}
      <CollectionTargets {...chosen(collections)} />
      <ProductTargets {...chosen(products)} />
    </fieldset>
  );
}

interface Chosen {
  ids: string[];
  onAdd: (id: string) => void;
  onRemove: (id: string) => void;
}

function CollectionTargets({ ids, onAdd, onRemove }: Chosen) {
  const query = useQuery({
    queryKey: ['collections', 'for-discounts'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/collections', { params: { query: { limit: 100 } }, signal })),
  });
  const collections = query.data?.collections ?? [];
  return (
    <>
      <Chips ids={ids} nameOf={(id) => collections.find((each) => each.id === id)?.title ?? id} onRemove={onRemove} />
      <Select
        label={t('Add a collection')}
        value=""
        onChange={(event) => event.target.value && onAdd(event.target.value)}
      >
        <option value="">{t('Choose a collection')}</option>
        {collections
          .filter(({ id }) => !ids.includes(id))
          .map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
      </Select>
    </>
  );
}

function ProductTargets({ ids, onAdd, onRemove }: Chosen) {
  const [q, setQ] = useState('');
  const found = useQuery({
    queryKey: ['products', 'for-discounts', q],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/products', { params: { query: { q, limit: 5 } }, signal })),
    enabled: q.length > 1,
  });
  const chosen = useQueries({
    queries: ids.map((product_id) => ({
      queryKey: ['products', product_id, 'name'],
      queryFn: async () =>
        (await unwrap(api.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id } } }))).name,
      staleTime: 60_000,
    })),
  });
  return (
    <>
      <Chips ids={ids} nameOf={(id) => chosen[ids.indexOf(id)]?.data ?? id} onRemove={onRemove} />
      <TextField
        label={t('Add a product')}
        type="search"
        placeholder={t('Name or SKU')}
        value={q}
        onChange={(event) => setQ(event.target.value)}
      />
      {q.length > 1 && (
        <ul className="stack">
          {found.data?.products
            .filter(({ id }) => !ids.includes(id))
            .map(({ id, name }) => (
              <li key={id}>
                <Button
                  onClick={() => {
                    onAdd(id);
                    setQ('');
                  }}
                >
                  {t('Add {name}', { name })}
                </Button>
              </li>
            ))}
        </ul>
      )}
    </>
  );
}

function Chips({
  ids,
  nameOf,
  onRemove,
}: {
  ids: string[];
  nameOf: (id: string) => string;
  onRemove: (id: string) => void;
}) {
  if (ids.length === 0) return null;
  return (
    <ul className="chips">
      {ids.map((id) => (
        <li key={id}>
          {nameOf(id)}
          <button
            type="button"
            className="close"
            aria-label={t('Remove {nameOf}', { nameOf: nameOf(id) })}
            onClick={() => onRemove(id)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
