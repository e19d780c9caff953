import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadError, Loading } from '../../ui/page.tsx';
import type { StockItem } from './changes.tsx';

/** Lists a variant's stock movements, newest first. */
export function Movements({ item, onClose }: { item: StockItem | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={item !== undefined}
      onClose={onClose}
      title={t('Movements of {filter}', {
        filter: [item?.product_name, item?.variant_name].filter(Boolean).join(', '),
      })}
      wide
    >
      {item && <List variant_id={item.variant_id} />}
    </Dialog>
  );
}

function List({ variant_id }: { variant_id: string }) {
  const { time, number } = useFormat();
  const movements = useInfiniteQuery({
    queryKey: ['inventory', 'movements', variant_id],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/api/dashboard/inventory/{variant_id}/movements', {
          params: { path: { variant_id }, query: { limit: 25, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const columns = useMemo(
    (): Column<Schemas['StockMovement']>[] => [
      { id: 'time', header: t('When'), short: true, cell: ({ created_at }) => time(created_at) },
      { id: 'what', header: t('What'), cell: (movement) => <What movement={movement} /> },
      { id: 'delta', header: t('Difference'), numeric: true, cell: ({ delta }) => signed(delta, number) },
      { id: 'after', header: t('On hand after'), numeric: true, cell: ({ on_hand_after }) => number(on_hand_after) },
      {
        id: 'reserved',
        header: t('Reserved after'),
        numeric: true,
        cell: ({ reserved_after }) => number(reserved_after),
      },
    ],
    [time, number],
  );
  if (!movements.data) {
    return movements.error ? (
      <LoadError error={movements.error} onRetry={() => void movements.refetch()} />
    ) : (
      <Loading />
    );
  }
  const rows = movements.data.pages.flatMap((page) => page.movements);
  if (rows.length === 0) {
    return <p>{t('Nothing has moved yet. Deliveries, sales, returns and corrections will be listed here.')}</p>;
  }
  return (
    <>
      <DataTable caption={t('Movements')} columns={columns} rows={rows} />
      {movements.hasNextPage && (
        <Button busy={movements.isFetchingNextPage} onClick={() => void movements.fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      )}
    </>
  );
}

function What({ movement: { type, reason, note, reference } }: { movement: Schemas['StockMovement'] }) {
  return (
    <span>
      {label(reason ?? type)}
      {reference && (
        <>
          {' · '}
          {reference.type === 'order' && reference.id ? (
            <Link to={`/orders/${reference.id}`}>{t('Order')}</Link>
          ) : (
            label(reference.type)
          )}
        </>
      )}
      {note && <span className="hint"> {note}</span>}
    </span>
  );
}

function signed(delta: number, number: (value: number) => string): string {
  return delta > 0 ? `+${number(delta)}` : number(delta);
}
