import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import type { productQuery } from '../filters.tsx';
import {
  allProducts,
  type BulkChange,
  bulkUpdate,
  MOST_SELECTED,
  type Product,
  productsChanged,
} from './bulk-queries.ts';
import { CollectionDialog } from './collection-dialog.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { reportOf } from './report.ts';
import { TagDialog } from './tag-dialog.tsx';
import './bulk.css';

type Open = 'prices' | 'tags' | 'collections' | 'delete';

/** Bulk actions for the selected products. Products that cannot be changed are reported. */
export function BulkBar({
  products,
  total,
  query,
  onSelect,
  onEdit,
  onDone,
}: {
  products: Product[];
  /** Number of products that match the filters. */
  total: number;
  query: ReturnType<typeof productQuery>;
  onSelect: (products: Product[]) => void;
  onEdit: () => void;
  onDone: () => void;
}) {
  const { number } = useFormat();
  const [open, setOpen] = useState<Open>();
  const [done, setDone] = useState(0);
  const close = () => setOpen(undefined);
  const work = useMutation({
    mutationFn: (change: BulkChange) => {
      setDone(0);
      return bulkUpdate(
        products.map(({ id }) => id),
        change,
        { onProgress: setDone },
      );
    },
    onSuccess: async (results) => {
      await productsChanged();
      close();
      const { failed, text } = reportOf(results, number);
      if (failed) toastError(new Error(text));
      else toast(text);
      onDone();
    },
    // With several calls, earlier ones may have succeeded.
    onError: async (error) => {
      await productsChanged();
      toastError(error);
    },
  });
  const all = useMutation({
    mutationFn: () => allProducts(query),
    onSuccess: onSelect,
    onError: toastError,
  });
  const dialog = { products, busy: work.isPending, onClose: close, onChange: work.mutate };
  const isLong = products.length > 500 && work.isPending;
  const action = (name: string, change: BulkChange) => (
    <Button
      busy={work.isPending && work.variables === change}
      disabled={work.isPending}
      onClick={() => work.mutate(change)}
    >
      {name}
    </Button>
  );
  return (
    <section className="selection-bar product-bar" aria-label={t('Selected products')}>
      <div className="selected-count">
        <strong role="status">
          {isLong
            ? t('{done} of {count} done', { done: number(done), count: number(products.length) })
            : t('{count} selected', { count: number(products.length) })}
        </strong>
        {products.length < Math.min(total, MOST_SELECTED) && (
          <Button kind="quiet" busy={all.isPending} onClick={() => all.mutate()}>
            {total > MOST_SELECTED
              ? t('Select the first {count}', { count: number(MOST_SELECTED) })
              : t('Select all {count} that match', { count: number(total) })}
          </Button>
        )}
      </div>
      <div className="actions">
        <Button kind="primary" onClick={() => setOpen('prices')}>
          {t('Change prices')}
        </Button>
        <Button onClick={onEdit}>{t('Edit as table')}</Button>
        {action(t('Publish'), PUBLISH)}
        {action(t('Unpublish'), UNPUBLISH)}
        {action(t('Archive'), ARCHIVE)}
        <Button onClick={() => setOpen('tags')}>{t('Tags')}</Button>
        <Button onClick={() => setOpen('collections')}>{t('Collections')}</Button>
        <Button onClick={() => setOpen('delete')}>{t('Delete')}</Button>
        <Button kind="quiet" onClick={onDone}>
          {t('Clear')}
        </Button>
      </div>
      {open === 'prices' && <PriceDialog {...dialog} />}
      {open === 'tags' && <TagDialog {...dialog} />}
      {open === 'collections' && <CollectionDialog {...dialog} />}
      <Confirm
        open={open === 'delete'}
        onClose={close}
        onConfirm={() => work.mutate({ delete: true })}
        title={
          products.length === 1
            ? t('Delete 1 product?')
            : t('Delete {count} products?', { count: number(products.length) })
        }
        action={t('Delete')}
        busy={work.isPending}
      >
        <p>{t('Orders keep what was bought. Products with stock that an open checkout has reserved stay.')}</p>
      </Confirm>
    </section>
  );
}

const PUBLISH: BulkChange = { status: 'active' };
const UNPUBLISH: BulkChange = { status: 'draft' };
const ARCHIVE: BulkChange = { status: 'archived' };
