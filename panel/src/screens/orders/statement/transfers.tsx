import { useMemo } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../../format.ts';
import { sentence } from '../../../language/sentences.ts';
import { t } from '../../../language/texts.ts';
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
      { id: 'payer', header: t('From'), cell: ({ transfer }) => transfer.payer || t('Unknown') },
      { id: 'text', header: t('Text'), cell: ({ transfer }) => transfer.text, long: true },
      {
        id: 'amount',
        header: t('Amount'),
        numeric: true,
        cell: ({ transfer: { amount, currency } }) =>
          /^\d+(?:\.\d{1,2})?$/.test(amount) ? money(amount, currency ?? undefined) : amount,
      },
      {
        id: 'order',
        header: t('Order'),
        cell: ({ transfer, assigned }) => <OrderLinks orders={assigned ? [assigned] : transfer.orders} />,
      },
      { id: 'outcome', header: t('Result'), cell: (row) => <Outcome row={row} />, long: true },
      ...(rows.some((row) => action(row))
        ? [
            {
              id: 'action',
              header: t('Action'),
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
      aria-label={t('{name} the transfer of {amount} from {payer}', {
        name: action.name,
        amount,
        payer: payer || t('an unknown payer'),
      })}
    >
      {action.name}
    </Button>
  );
}

function OrderLinks({ orders }: { orders: OrderOfRow[] }) {
  if (orders.length === 0) return t('None');
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
  if (recorded) return <Badge value="succeeded">{t('Recorded as late payment')}</Badge>;
  if (assigned) {
    const differs = Number(assigned.total) !== Number(amount);
    return (
      <span>
        <Badge value="pending">{t('Assigned by you')}</Badge>
        {differs && ` ${t('The order total is {total}.', { total: money(assigned.total, assigned.currency) })}`}
      </span>
    );
  }
  if (outcome === 'matched') return <Badge value="succeeded">{t('Matches')}</Badge>;
  const tag = TAGS[outcome];
  return (
    <span>
      {tag && <Badge value="pending">{tag}</Badge>} {message && inSentences(message)}
    </span>
  );
}

/** Translates a message sentence by sentence. It has several sentences if a transfer names several orders. */
function inSentences(message: string): string {
  return message
    .split(/(?<=\.) (?=The total of|\d)/)
    .map(sentence)
    .join(' ');
}

const TAGS: Partial<Record<string, string>> = { check_by_hand: t('Check by hand'), late: t('Late') };
