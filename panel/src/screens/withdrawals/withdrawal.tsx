import { unwrap } from '@commerce-backend/sdk';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { rich } from '../../language/rich.tsx';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { useDecision, useWithdrawal, type Withdrawal, withdrawalStatus } from './withdrawal-queries.ts';

const BACK = { to: '/withdrawals', label: t('Withdrawals') };

/** One withdrawal: its statement, the withheld items and the decision about them. */
export function WithdrawalScreen({ params }: { params: Record<string, string> }) {
  const query = useWithdrawal(params.withdrawal_id ?? '');
  if (!query.data) {
    return (
      <Page title={t('Withdrawal')} back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  const found = query.data;
  return (
    <Page
      title={t('Withdrawal of {name}', { name: found.name })}
      back={BACK}
      status={<Badge value={found.status}>{withdrawalStatus(found.status)}</Badge>}
      actions={<Decisions found={found} />}
    >
      {found.late && <p className="note">{t('Received after the period for withdrawal.')}</p>}
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
    [t('Received'), time(found.received_at)],
    [t('Refund due'), date(found.refund_due_at)],
    [t('Name'), found.name],
    [t('E-mail'), found.email],
    [t('Order, as entered'), found.contract],
    [t('Items, as entered'), found.items ?? t('The whole contract')],
  ];
  return (
    <Card title={t('Statement')}>
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
  custom_made: t('Made to order'),
  perishable: t('Perishable'),
  sealed_hygiene: t('Sealed for hygiene'),
  digital: t('Digital, with consent'),
};

type Line = Withdrawal['lines'][number] & { id: string };

function Items({ found: { order_id, order_number, return_id, return_number, lines } }: { found: Withdrawal }) {
  const columns: Column<Line>[] = [
    {
      id: 'item',
      header: t('Item'),
      cell: ({ name, variant_name, exempt }) => (
        <>
          {variant_name ? `${name}, ${variant_name}` : name}
          {exempt !== 'none' && (
            <div className="quiet-text">
              {t('{EXEMPT_NAMES}: may be excluded from withdrawal', { EXEMPT_NAMES: EXEMPT_NAMES[exempt] ?? exempt })}
            </div>
          )}
        </>
      ),
    },
    { id: 'quantity', header: t('Withheld'), numeric: true, cell: ({ quantity }) => quantity },
    { id: 'confirmed', header: t('Confirmed'), numeric: true, cell: ({ confirmed }) => confirmed },
  ];
  return (
    <Card title={t('Order')}>
      {order_id ? (
        <p>
          <Link to={`/orders/${order_id}`}>{t('Order {order_number}', { order_number })}</Link>
        </p>
      ) : (
        <p>
          {t(
            'No order has this number and e-mail. Find the order and link it, or contact the customer and close the withdrawal.',
          )}
        </p>
      )}
      {return_id && (
        <p>
          {rich('Shipped items: {link}', {
            link: <Link to={`/returns/${return_id}`}>{t('Return {return_number}', { return_number })}</Link>,
          })}
        </p>
      )}
      {lines.length > 0 && (
        <DataTable
          caption={t('Withheld items')}
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
    t('The withdrawal is closed.'),
    onClose,
  );
  return (
    <>
      {status === 'to_confirm' && can('orders:refund') && (
        <Button kind="primary" onClick={() => setOpen('confirm')}>
          {t('Confirm and refund')}
        </Button>
      )}
      {status === 'unmatched' && can('orders:write') && (
        <Button kind="primary" onClick={() => setOpen('link')}>
          {t('Link to an order')}
        </Button>
      )}
      {open === 'link' && <LinkDialog id={id} onClose={onClose} />}
      {status !== 'closed' && can('orders:write') && <Button onClick={() => setOpen('close')}>{t('Close')}</Button>}
      {open === 'confirm' && <ConfirmDialog found={found} onClose={onClose} />}
      <Confirm
        open={open === 'close'}
        onClose={onClose}
        onConfirm={() => close.mutate()}
        title={t('Close the withdrawal?')}
        action={t('Close')}
        busy={close.isPending}
      >
        <p>{t('Nothing is refunded, and withheld items can ship again.')}</p>
      </Confirm>
    </>
  );
}
