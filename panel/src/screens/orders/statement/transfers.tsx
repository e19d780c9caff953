import { useMemo } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../../format.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import type { OrderOfRow, Row } from './rows.ts';

interface Action {
  name: string;
  onClick: () => void;
}

/** Lists bank transfers with the orders that they name, their result and their actions. */
export function Transfers({
  caption,
  rows,
  action,
}: {
  caption: string;
  rows: Row[];
  action: (row: Row) => Action | false | undefined;
}) {
  const { money } = useFormat();
  const columns = useMemo(
    (): Column<Row>[] => [
      { id: 'payer', header: 'From', cell: ({ transfer }) => transfer.payer || 'Unknown' },
      { id: 'text', header: 'Text', cell: ({ transfer }) => transfer.text, long: true },
      {
        id: 'amount',
        header: 'Amount',
        numeric: true,
        cell: ({ transfer: { amount, currency } }) =>
          /^\d+(?:\.\d{1,2})?$/.test(amount) ? money(amount, currency ?? undefined) : amount,
      },
      {
        id: 'order',
        header: 'Order',
        cell: ({ transfer, assigned }) => <OrderLinks orders={assigned ? [assigned] : transfer.orders} />,
      },
      { id: 'outcome', header: 'Result', cell: (row) => <Outcome row={row} />, long: true },
      ...(rows.some((row) => action(row))
        ? [
            {
              id: 'action',
              header: 'Action',
              cell: (row: Row) => <ActionButton action={action(row)} row={row} />,
            },
          ]
        : []),
    ],
    [money, action, rows],
  );
  return <DataTable caption={caption} columns={columns} rows={rows} />;
}

function ActionButton({ action, row }: { action: Action | false | undefined; row: Row }) {
  if (!action) return null;
  const { payer, amount } = row.transfer;
  return (
    <Button
      onClick={action.onClick}
      aria-label={`${action.name} the transfer of ${amount} from ${payer || 'an unknown payer'}`}
    >
      {action.name}
    </Button>
  );
}

function OrderLinks({ orders }: { orders: OrderOfRow[] }) {
  if (orders.length === 0) return 'None';
  return (
    <span className="badges">
      {orders.map(({ id, order_number }) => (
        <Link key={id} to={`/orders/${id}`}>
          {order_number}
        </Link>
      ))}
    </span>
  );
}

function Outcome({ row: { transfer, assigned, recorded } }: { row: Row }) {
  const { money } = useFormat();
  const { outcome, message, amount } = transfer;
  if (recorded) return <Badge value="succeeded">Recorded as late payment</Badge>;
  if (assigned) {
    const differs = Number(assigned.total) !== Number(amount);
    return (
      <span>
        <Badge value="pending">Assigned by you</Badge>
        {differs && ` The order total is ${money(assigned.total, assigned.currency)}.`}
      </span>
    );
  }
  if (outcome === 'matched') return <Badge value="succeeded">Matches</Badge>;
  const tag = TAGS[outcome];
  return (
    <span>
      {tag && <Badge value="pending">{tag}</Badge>} {message}
    </span>
  );
}

const TAGS: Partial<Record<string, string>> = { check_by_hand: 'Check by hand', late: 'Late' };
