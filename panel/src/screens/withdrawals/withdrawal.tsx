import { unwrap } from '@commerce-backend/sdk';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { useDecision, useWithdrawal, type Withdrawal, withdrawalStatus } from './withdrawal-queries.ts';

const BACK = { to: '/withdrawals', label: 'Withdrawals' };

/** One withdrawal: its statement, the withheld items and the decision about them. */
export function WithdrawalScreen({ params }: { params: Record<string, string> }) {
  const query = useWithdrawal(params.withdrawal_id ?? '');
  if (!query.data) {
    return (
      <Page title="Withdrawal" back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const found = query.data;
  return (
    <Page
      title={`Withdrawal of ${found.name}`}
      back={BACK}
      status={<Badge value={found.status}>{withdrawalStatus(found.status)}</Badge>}
      actions={<Decisions found={found} />}
    >
      {found.late && <p className="note">Received after the period for withdrawal.</p>}
      <div className="columns">
        <div className="stack">
          <Statement found={found} />
        </div>
        <div className="stack">
          <Items found={found} />
        </div>
      </div>
    </Page>
  );
}

function Statement({ found }: { found: Withdrawal }) {
  const { time, date } = useFormat();
  const facts: [string, string][] = [
    ['Received', time(found.received_at)],
    ['Refund due', date(found.refund_due_at)],
    ['Name', found.name],
    ['E-mail', found.email],
    ['Order, as entered', found.contract],
    ['Items, as entered', found.items ?? 'The whole contract'],
  ];
  return (
    <Card title="Statement">
      <dl className="facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}

const EXEMPT_NAMES: Record<string, string> = {
  custom_made: 'Made to order',
  perishable: 'Perishable',
  sealed_hygiene: 'Sealed for hygiene',
  digital: 'Digital, with consent',
};

type Line = Withdrawal['lines'][number] & { id: string };

function Items({ found: { order_id, order_number, return_id, return_number, lines } }: { found: Withdrawal }) {
  const columns: Column<Line>[] = [
    {
      id: 'item',
      header: 'Item',
      cell: ({ name, variant_name, exempt }) => (
        <>
          {variant_name ? `${name}, ${variant_name}` : name}
          {exempt !== 'none' && (
            <div className="quiet-text">{EXEMPT_NAMES[exempt] ?? exempt}: may be excluded from withdrawal</div>
          )}
        </>
      ),
    },
    { id: 'quantity', header: 'Withheld', numeric: true, cell: ({ quantity }) => quantity },
    { id: 'confirmed', header: 'Confirmed', numeric: true, cell: ({ confirmed }) => confirmed },
  ];
  return (
    <Card title="Order">
      {order_id ? (
        <p>
          <Link to={`/orders/${order_id}`}>Order {order_number}</Link>
        </p>
      ) : (
        <p>
          No order has this number and e-mail. Find the order and link it, or contact the customer and close the
          withdrawal.
        </p>
      )}
      {return_id && (
        <p>
          Shipped items: <Link to={`/returns/${return_id}`}>Return {return_number}</Link>
        </p>
      )}
      {lines.length > 0 && (
        <DataTable
          caption="Withheld items"
          columns={columns}
          rows={lines.map((line) => ({ ...line, id: line.line_item_id }))}
        />
      )}
    </Card>
  );
}

/** Buttons to link, confirm or close the withdrawal, if its state and the user's permissions allow that. */
function Decisions({ found }: { found: Withdrawal }) {
  const { id, status } = found;
  const can = useCan();
  const [open, setOpen] = useState<'link' | 'confirm' | 'close'>();
  const onClose = () => setOpen(undefined);
  const params = { path: { withdrawal_id: id } };
  const close = useDecision(
    () => unwrap(api.POST('/api/dashboard/withdrawals/{withdrawal_id}/close', { params })),
    'The withdrawal is closed.',
    onClose,
  );
  return (
    <>
      {status === 'to_confirm' && can('orders:refund') && (
        <Button kind="primary" onClick={() => setOpen('confirm')}>
          Confirm and refund
        </Button>
      )}
      {status === 'unmatched' && can('orders:write') && (
        <Button kind="primary" onClick={() => setOpen('link')}>
          Link to an order
        </Button>
      )}
      {open === 'link' && <LinkDialog id={id} onClose={onClose} />}
      {status !== 'closed' && can('orders:write') && <Button onClick={() => setOpen('close')}>Close</Button>}
      {open === 'confirm' && <ConfirmDialog found={found} onClose={onClose} />}
      <Confirm
        open={open === 'close'}
        onClose={onClose}
        onConfirm={() => close.mutate()}
        title="Close the withdrawal?"
        action="Close"
        busy={close.isPending}
      >
        <p>Nothing is refunded, and withheld items can ship again.</p>
      </Confirm>
    </>
  );
}
