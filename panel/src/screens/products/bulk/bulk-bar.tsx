import { useMutation } from '@tanstack/react-query';
import { type MouseEvent, useRef, useState } from 'react';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { MoreMenu } from '../../../ui/more-menu.tsx';
import { toast, toastError, toastUndo } from '../../../ui/toasts.tsx';
import type { productQuery } from '../filters.tsx';
import {
  allProducts,
  type BulkChange,
  type BulkResult,
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
  const { open, ask, close } = useDialogs();
  const [done, setDone] = useState(0);
  const work = useMutation({
    mutationFn: (change: BulkChange) => {
      setDone(0);
      return bulkUpdate(
        products.map(({ id }) => id),
        change,
        { onProgress: setDone },
      );
    },
    onSuccess: async (results, change) => {
      await productsChanged();
      onDone();
      close();
      const { failed, text } = reportOf(results, number);
      if (failed) toastError(new Error(text));
      else if (change === ARCHIVE) toastUndo(text, () => restore(products, results));
      else toast(text);
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
        <Button kind="primary" onClick={ask('prices')}>
          {t('Change prices')}
        </Button>
        <Button onClick={onEdit}>{t('Edit as table')}</Button>
        {action(t('Publish'), PUBLISH)}
        <MoreMenu>
          {action(t('Unpublish'), UNPUBLISH)}
          {action(t('Archive'), ARCHIVE)}
          <Button onClick={ask('tags')}>{t('Tags')}</Button>
          <Button onClick={ask('collections')}>{t('Collections')}</Button>
          {products.length === 1 && (
            <LinkButton to={`/products/new?from=${products[0]?.id}`}>{t('Duplicate product')}</LinkButton>
          )}
          <Button onClick={ask('delete')}>{t('Delete')}</Button>
        </MoreMenu>
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

/** The open dialog. When it closes, the focus returns to the button that opened it, or to that of its menu. */
function useDialogs() {
  const [open, setOpen] = useState<Open>();
  const opener = useRef<HTMLElement>(null);
  const ask = (dialog: Open) => (event: MouseEvent<HTMLElement>) => {
    const menu = event.currentTarget.closest('.more');
    opener.current = menu?.querySelector<HTMLElement>(':scope > button') ?? event.currentTarget;
    setOpen(dialog);
  };
  const close = () => {
    setOpen(undefined);
    // After a change, the bar is gone with the selection.
    setTimeout(() => (opener.current?.isConnected ? opener.current : document.getElementById('main'))?.focus());
  };
  return { open, ask, close };
}

const PUBLISH: BulkChange = { status: 'active' };
const UNPUBLISH: BulkChange = { status: 'draft' };
const ARCHIVE: BulkChange = { status: 'archived' };

/** Gives archived products the statuses that they had before. */
async function restore(products: Product[], results: BulkResult[]): Promise<void> {
  const archived = new Set(results.filter(({ status }) => status === 'changed').map(({ product_id }) => product_id));
  for (const status of ['active', 'draft'] as const) {
    const ids = products.filter((product) => product.status === status && archived.has(product.id)).map(({ id }) => id);
    await bulkUpdate(ids, { status });
  }
  await productsChanged();
}
