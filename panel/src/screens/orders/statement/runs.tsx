import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { UndoButton } from './undo.tsx';

type StatementRun = Schemas['StatementRun'];

/** Maximum number of orders listed per run. */
const MOST_SHOWN = 20;

export function useStatementRuns() {
  return useQuery({
    queryKey: ['statement-runs'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/statement-runs', { signal })),
  });
}

/**
 * Lists earlier bank statement runs and their orders. A run can be undone as long as none of its orders was processed
 * further.
 */
export function StatementRuns() {
  const { time, counted } = useFormat();
  const can = useCan();
  const { data: runs = [] } = useStatementRuns();
  const columns = useMemo(
    (): Column<StatementRun>[] => [
      { id: 'when', header: t('Marked'), cell: ({ marked_at }) => time(marked_at) },
      { id: 'orders', header: t('Orders'), cell: ({ orders }) => <Numbers orders={orders} />, long: true },
      {
        id: 'undo',
        header: t('Undo'),
        cell: ({ id, orders, undoable }) => {
          if (!undoable)
            return t('Not possible: an order was shipped, edited, invoiced, refunded, cancelled or paid in parts.');
          const numbers = orders.map(({ order_number }) => order_number);
          return can('orders:write') && <UndoButton run_id={id} numbers={numbers} />;
        },
      },
    ],
    [time, can],
  );
  if (runs.length === 0) return null;
  return (
    <Card title={t('Earlier statements')}>
      <p>
        {t('{count} with orders that were marked as paid, newest first.', {
          count: counted(runs.length, '{count} statement', '{count} statements'),
        })}
      </p>
      <DataTable caption={t('Earlier statements')} columns={columns} rows={runs} />
    </Card>
  );
}

function Numbers({ orders }: { orders: StatementRun['orders'] }) {
  const rest = orders.length - MOST_SHOWN;
  return (
    <span className="badges">
      {orders.slice(0, MOST_SHOWN).map(({ id, order_number }) => (
        <Link key={id} to={`/orders/${id}`}>
          {order_number}
        </Link>
      ))}
      {rest > 0 && t('and {rest} more', { rest })}
    </span>
  );
}
