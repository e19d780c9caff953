import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { ExportButton } from './export-button.tsx';
import { Filters } from './filters.tsx';
import { type Order, orderQueryOf, useOrders } from './order-queries.ts';
import './orders.css';
import { t } from '../../language/texts.ts';
import { SelectionBar } from './selection-bar.tsx';
import { deliveryName, nameOf } from './texts.ts';
import { ViewTabs } from './view-tabs.tsx';

/** The order list with views, filters, search and bulk actions. */
export function Orders() {
  const can = useCan();
  const [params, change] = useSearchState();
  const query = orderQueryOf(params);
  const page = Math.max(1, Number(params.get('page')) || 1);
  const orders = useOrders(query, page);
  const [selected, setSelected] = useState<Map<string, Order>>(new Map());
  // For selected orders on this page, uses the current data, because their state decides which actions are possible.
  const rows = new Map(orders.data?.orders.map((order) => [order.id, order]));
  const chosen = [...selected.values()].map((order) => rows.get(order.id) ?? order);
  const filtered = Object.keys(query).some((name) => name !== 'sort');
  return (
    <Page
      title={t('Orders')}
      actions={
        <>
          {can('orders:write') && <LinkButton to="/orders/statement">{t('Match a bank statement')}</LinkButton>}
          <ExportButton query={query} />
        </>
      }
    >
      <ViewTabs />
      <Filters />
      <Loaded query={orders}>
        {(answer) =>
          answer.total === 0 ? (
            <NoOrders filtered={filtered} onClear={() => change(Object.fromEntries([...params.keys()].map(nothing)))} />
          ) : (
            <>
              <OrderTable
                rows={answer.orders}
                selected={selected}
                onSelect={setSelected}
                sort={params.get('sort') ?? 'newest'}
                onSort={(sort) => change({ sort })}
              />
              <Pager {...answer} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
      {selected.size > 0 && <SelectionBar orders={chosen} onDone={() => setSelected(new Map())} />}
    </Page>
  );
}

const nothing = (name: string) => [name, undefined] as const;

function NoOrders({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <Empty
        title={t('No matching orders')}
        action={
          <button type="button" className="button plain" onClick={onClear}>
            {t('Show all orders')}
          </button>
        }
      >
        {t('Search finds order numbers, e-mail addresses, names, SKUs and tracking numbers.')}
      </Empty>
    );
  }
  return (
    <Empty title={t('No orders yet')} action={<LinkButton to="/">{t('See what the shop still needs')}</LinkButton>}>
      {t(
        'Each purchase appears here the moment a customer confirms it. Orders by bank transfer wait under “To pay” until you mark them as paid; then they are under “To ship”.',
      )}
    </Empty>
  );
}

function OrderTable({
  rows,
  selected,
  onSelect,
  ...sorting
}: {
  rows: Order[];
  selected: Map<string, Order>;
  onSelect: (next: Map<string, Order>) => void;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const { money, time } = useFormat();
  const columns = useMemo(
    (): Column<Order>[] => [
      {
        id: 'number',
        header: t('Order'),
        cell: (order) => <Link to={`/orders/${order.id}`}>{order.order_number}</Link>,
      },
      {
        id: 'created',
        header: t('Placed'),
        short: true,
        sort: { asc: 'oldest', desc: 'newest' },
        cell: ({ created_at }) => time(created_at),
      },
      { id: 'customer', header: t('Customer'), cell: nameOf },
      { id: 'payment', header: t('Payment'), cell: ({ payment_status }) => <Badge value={payment_status} /> },
      { id: 'delivery', header: t('Delivery'), cell: deliveryOf },
      { id: 'pieces', header: t('Pieces'), numeric: true, wideOnly: true, cell: piecesOf },
      {
        id: 'total',
        header: t('Total'),
        numeric: true,
        sort: { asc: 'total_asc', desc: 'total_desc' },
        cell: ({ total, currency }) => money(total, currency),
      },
    ],
    [money, time],
  );
  const numbers = new Map(rows.map(({ id, order_number }) => [id, order_number]));
  return (
    <div className="table-box order-list">
      <DataTable
        caption={t('Orders')}
        columns={columns}
        rows={rows}
        {...sorting}
        selection={{
          selected: Object.fromEntries([...selected.keys()].map((id) => [id, true])),
          onSelect: (next) => onSelect(selectionOf(next, [...selected.values(), ...rows])),
          label: (id) => t('Select order {get}', { get: numbers.get(id) ?? '' }),
        }}
      />
    </div>
  );
}

/** The selected orders on all pages. */
function selectionOf(next: Record<string, boolean>, known: Order[]): Map<string, Order> {
  return new Map(known.filter(({ id }) => next[id]).map((order) => [order.id, order]));
}

function deliveryOf({ status, fulfillment_status, source }: Order) {
  return (
    <span className="badges">
      {status === 'cancelled' ? (
        <Badge value={status} />
      ) : (
        <Badge value={fulfillment_status}>{deliveryName(fulfillment_status)}</Badge>
      )}
      {source === 'agent' && <Badge value="agent">{t('By an agent')}</Badge>}
    </span>
  );
}

function piecesOf({ line_items }: Order): number {
  return line_items.reduce((sum, { quantity }) => sum + quantity, 0);
}
