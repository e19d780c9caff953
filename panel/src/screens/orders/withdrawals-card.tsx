import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { useDecision, useWithdrawalsOf, type Withdrawal, withdrawalStatus } from '../withdrawals/withdrawal-queries.ts';
import type { OrderDetails } from './order-queries.ts';

/** The withdrawals from an order with their items. Renders nothing for an order without withdrawals. */
export function WithdrawalsCard({ order }: { order: OrderDetails }) {
  const { data } = useWithdrawalsOf(order.id);
  if (!data || data.withdrawals.length === 0) return null;
  return (
    <Card title={t('Withdrawals')}>
      <ul className="records">
        {data.withdrawals.map((found) => (
          <Row key={found.id} found={found} order={order} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ found, order }: { found: Withdrawal; order: OrderDetails }) {
  const { date } = useFormat();
  const can = useCan();
  const [open, setOpen] = useState(false);
  const { id, name, email, status, received_at, lines } = found;
  const params = { path: { withdrawal_id: id } };
  const release = useDecision(
    () => unwrap(api.POST('/api/dashboard/withdrawals/{withdrawal_id}/close', { params })),
    t('The items can ship again.'),
    () => setOpen(false),
  );
  const items = lines.map(
    (line) => `${line.quantity} × ${line.name}${line.variant_name ? `, ${line.variant_name}` : ''}`,
  );
  return (
    <li>
      <Link to={`/withdrawals/${id}`}>{name}</Link> {date(received_at)}{' '}
      <Badge value={status}>{withdrawalStatus(status)}</Badge>
      {status === 'to_confirm' && (
        <>
          <p className="note">
            {t('Withheld from shipping until you decide: {items}. {name} ({email}) withdrew from the contract{which}', {
              items: items.join('; '),
              name,
              email,
              which:
                email.toLowerCase() === order.email?.toLowerCase()
                  ? '.'
                  : t(', with another e-mail address than the order.'),
            })}
          </p>
          {can('orders:write') && <Button onClick={() => setOpen(true)}>{t('Let them ship')}</Button>}
        </>
      )}
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => release.mutate()}
        title={t('Let the items ship?')}
        action={t('Let them ship')}
        busy={release.isPending}
      >
        <p>{t('The withdrawal is closed without a refund. Do this only if the customer did not withdraw.')}</p>
      </Confirm>
    </li>
  );
}
