import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api, inWords, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Empty, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { ordersChanged } from './order-queries.ts';
import './orders.css';

type Matches = Schemas['TransferMatches'];
type Transfer = Matches['transfers'][number];

/** A bank's statement: pasted or chosen, shown with the orders that its transfers pay, and marked at once. */
export function Statement() {
  const [statement, setStatement] = useState('');
  const match = useMutation({
    mutationFn: (text: string) =>
      unwrap(api.POST('/api/dashboard/orders/match-transfers', { body: { statement: text } })),
  });
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (!file) return;
    try {
      const text = await textOf(file);
      setStatement(text);
      match.mutate(text);
    } catch {
      toast('The file cannot be read. Choose it again.');
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    match.mutate(statement);
  };
  return (
    <Page title="Match a bank statement" back={{ to: '/orders', label: 'Orders' }}>
      <Card>
        <Form busy={match.isPending} onSubmit={submit}>
          <p>
            Download the statement from your bank as CSV or CAMT.053 (XML). Transfers are matched with orders by the
            order number in their text and by the amount. You see everything before anything is marked.
          </p>
          <div className="field">
            <label htmlFor="statement-file">File</label>
            <input
              id="statement-file"
              type="file"
              accept=".csv,.xml,.txt"
              // Browsers say nothing when the same file is chosen again, which may have been mended meanwhile.
              onClick={(event) => {
                event.currentTarget.value = '';
              }}
              onChange={(event) => void read(event)}
            />
          </div>
          <TextArea
            label="Or paste it"
            rows={5}
            value={statement}
            onChange={(event) => setStatement(event.target.value)}
            error={match.error ? inWords(match.error) : undefined}
          />
          <footer>
            <Button type="submit" kind="primary" busy={match.isPending} disabled={statement.trim() === ''}>
              Show what matches
            </Button>
          </footer>
        </Form>
      </Card>
      {match.data && <Preview key={match.submittedAt} matches={match.data} />}
    </Page>
  );
}

/** Many banks still write their CSV in Latin-1. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** As many as one call marks. */
const MOST = 100;

function Preview({ matches }: { matches: Matches }) {
  const { counted } = useFormat();
  const can = useCan();
  const matched = matches.transfers.filter(({ outcome }) => outcome === 'matched');
  const others = matches.transfers.filter(({ outcome }) => outcome !== 'matched');
  const mark = useMutation({
    mutationFn: () => markAll(matched),
    onSuccess: ({ paid }) => toast(`${counted(paid, 'order')} marked as paid.`),
    onError: toastError,
    // Of several calls, the first may have been done when a later one fails.
    onSettled: () => ordersChanged(),
  });
  if (matches.transfers.length === 0)
    return <Empty title="No incoming transfers">Outgoing and pending ones are left out.</Empty>;
  return (
    <>
      {mark.data && mark.data.refused.length > 0 && (
        <Card title={`${counted(mark.data.refused.length, 'order')} not marked`}>
          <ul>
            {mark.data.refused.map((refusal) => (
              <li key={refusal}>{refusal}</li>
            ))}
          </ul>
        </Card>
      )}
      {matched.length > 0 && !mark.isSuccess && (
        <Card
          title={`${matched.length} match`}
          actions={
            can('orders:write') && (
              <Button kind="primary" busy={mark.isPending} onClick={() => mark.mutate()}>
                Mark {matched.length} as paid
              </Button>
            )
          }
        >
          <Transfers caption="Transfers that match" transfers={matched} />
        </Card>
      )}
      {others.length > 0 && (
        <Card title={`${others.length} to look at`}>
          <p>These stay as they are. Open an order to mark it by hand.</p>
          <Transfers caption="Transfers to look at" transfers={others} />
        </Card>
      )}
    </>
  );
}

/** Each with the amount that arrived, so that the server compares it once more. */
async function markAll(matched: Transfer[]): Promise<{ paid: number; refused: string[] }> {
  const rows = matched.flatMap(({ orders: [order] }) =>
    order ? [{ order_number: order.order_number, amount: order.total }] : [],
  );
  let paid = 0;
  const refused: string[] = [];
  for (let at = 0; at < rows.length; at += MOST) {
    const body = { orders: rows.slice(at, at + MOST) };
    const { counts, results } = await unwrap(api.POST('/api/dashboard/orders/mark-paid', { body }));
    paid += counts.paid;
    const failed = results.filter(({ status }) => status === 'failed');
    refused.push(...failed.map(({ order_number, message }) => `${order_number}: ${message}`));
  }
  return { paid, refused };
}

function Transfers({ caption, transfers }: { caption: string; transfers: Transfer[] }) {
  const { money } = useFormat();
  const columns = useMemo(
    (): Column<Transfer & { id: string }>[] => [
      { id: 'payer', header: 'From', cell: ({ payer }) => payer },
      { id: 'text', header: 'Text', cell: ({ text }) => text },
      {
        id: 'amount',
        header: 'Amount',
        numeric: true,
        cell: ({ amount, currency }) => money(amount, currency ?? undefined),
      },
      { id: 'order', header: 'Order', cell: ({ orders }) => <OrderLinks orders={orders} /> },
      { id: 'outcome', header: 'Outcome', cell: Outcome },
    ],
    [money],
  );
  const rows = transfers.map((transfer) => ({ ...transfer, id: String(transfer.line) }));
  return <DataTable caption={caption} columns={columns} rows={rows} />;
}

function OrderLinks({ orders }: { orders: Transfer['orders'] }) {
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

function Outcome({ outcome, message }: Transfer) {
  if (outcome === 'matched') return <Badge value="succeeded">Matches</Badge>;
  return <span>{message}</span>;
}
