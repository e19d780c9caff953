import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Card, Loaded } from '../../ui/page.tsx';

interface OrdersCardProps {
  /** The first parts of the query's key, without the page. */
  of: [string, string];
  read: (page: number, signal: AbortSignal) => Promise<Schemas['OrderPage']>;
}

/** The orders of a customer or guest, page by page. */
export function OrdersCard({ of, read }: OrdersCardProps) {
  const format = useFormat();
  const [page, setPage] = useState(1);
  const query = useQuery({ queryKey: ['orders', ...of, page], queryFn: ({ signal }) => read(page, signal) });
  const columns: Column<Schemas['Order']>[] = [
    { id: 'number', header: t('Order'), cell: (row) => <Link to={`/orders/${row.id}`}>{row.order_number}</Link> },
    { id: 'date', header: t('Date'), short: true, cell: (row) => format.date(row.created_at) },
    { id: 'payment', header: t('Payment'), cell: (row) => <Badge value={row.payment_status} /> },
    { id: 'total', header: t('Total'), numeric: true, cell: (row) => format.money(row.total, row.currency) },
  ];
  return (
    <Card title={t('Orders')}>
      <Loaded query={query}>
        {({ orders, ...pages }) =>
          orders.length === 0 ? (
            <p>{t('No orders yet.')}</p>
          ) : (
            <>
              <DataTable caption={t('Orders')} columns={columns} rows={orders} />
              <Pager {...pages} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
