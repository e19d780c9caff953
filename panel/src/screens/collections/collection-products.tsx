import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useController, useFormContext, useWatch } from 'react-hook-form';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Pictured } from '../../ui/picture.tsx';
import { moved, ReorderControls, useReorder } from '../../ui/reorder.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { toastUndo } from '../../ui/toasts.tsx';
import { type CollectionDraft, type ListedProduct, listedProductOf } from './draft.ts';

/** The manually chosen products, in the order that customers see. */
export function CollectionProducts({ hidden }: { /** Number of products that are not shown. */ hidden: number }) {
  const { number } = useFormat();
  const { field } = useController<CollectionDraft, 'products'>({ name: 'products' });
  const { value: products, onChange } = field;
  // Whether the storefront uses the order of this list.
  const ownOrder = useWatch<CollectionDraft, 'sort_order'>({ name: 'sort_order' }) === 'manual';
  const { getValues } = useFormContext<CollectionDraft>();
  const remove = (removed: ListedProduct, index: number) => {
    onChange(products.filter(({ id }) => id !== removed.id));
    toastUndo(t('{name} is removed.', { name: removed.name }), () => {
      const now = getValues('products');
      if (!now.some(({ id }) => id === removed.id)) onChange(now.toSpliced(index, 0, removed));
    });
  };
  const reorder = useReorder(products.length, (from, to) => onChange(moved(products, from, to)));
  return (
    <Card title={t('Products')}>
      <AddProducts listed={products} onAdd={(product) => onChange([...products, product])} />
      {products.length === 0 && (
        <p className="hint">{t('Nothing is in this collection yet. Find products above, and add them.')}</p>
      )}
      {!ownOrder && products.length > 1 && (
        <p className="hint">{t('Customers see another order: see “Order of the products”.')}</p>
      )}
      <ul className="collection-products" ref={reorder.list} aria-label={t('Products of the collection')}>
        {products.map((product, index) => {
          const { id, name, status, picture } = product;
          return (
            <li key={id} data-index={index} data-dragged={reorder.dragged(index) || undefined}>
              <ReorderControls reorder={reorder} index={index} name={name} />
              <Pictured url={picture}>
                <Link to={`/products/${id}`}>{name}</Link> {status !== 'active' && <Badge value={status} />}
              </Pictured>
              <Button aria-label={t('Take {name} out', { name })} onClick={() => remove(product, index)}>
                ×
              </Button>
            </li>
          );
        })}
      </ul>
      {hidden > 0 && (
        <p className="hint">
          {t('And {hidden} more, which keep their order after these.', { hidden: number(hidden) })}
        </p>
      )}
      <p className="unseen" role="status">
        {reorder.said}
      </p>
    </Card>
  );
}

/** Searches products. Each result has a button that adds it to the collection. */
function AddProducts({ listed, onAdd }: { listed: ListedProduct[]; onAdd: (product: ListedProduct) => void }) {
  const [q, setQ] = useState('');
  const found = useQuery({
    queryKey: ['products', 'find', q],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/products', { params: { query: { q, limit: 8 } }, signal })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const there = new Set(listed.map(({ id }) => id));
  return (
    <div className="add-products">
      <SearchField
        label={t('Find products to add')}
        placeholder={t('Name, SKU, vendor, tag')}
        value={q}
        onSearch={setQ}
      />
      {q !== '' && found.data && (
        <ul aria-label={t('Found products')}>
          {found.data.products.length === 0 && <li>{t('No products found.')}</li>}
          {found.data.products.map((product) => (
            <li key={product.id}>
              <Pictured url={product.images[0]?.url}>{product.name}</Pictured>
              <Button
                disabled={there.has(product.id)}
                aria-label={
                  there.has(product.id)
                    ? t('{name} is added', { name: product.name })
                    : t('Add {name}', { name: product.name })
                }
                onClick={() => onAdd(listedProductOf(product))}
              >
                {there.has(product.id) ? t('Added') : t('Add')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Shows the first products that match the saved rules. */
export function FoundByRules({ products, count }: { products: ListedProduct[]; count: number }) {
  const { number } = useFormat();
  return (
    <Card title={t('Products ({count})', { count: number(count) })}>
      {count === 0 && <p className="hint">{t('No product meets the rules as they were saved.')}</p>}
      <ul className="collection-products" aria-label={t('Products of the collection')}>
        {products.slice(0, 50).map(({ id, name, status, picture }) => (
          <li key={id}>
            <Pictured url={picture}>
              <Link to={`/products/${id}`}>{name}</Link> {status !== 'active' && <Badge value={status} />}
            </Pictured>
          </li>
        ))}
      </ul>
      {count > 50 && <p className="hint">{t('The first 50 are shown.')}</p>}
    </Card>
  );
}
