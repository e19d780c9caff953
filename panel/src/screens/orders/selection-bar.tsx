import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { rejection } from '../../language/sentences.ts';
import { t, tn } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { BulkShip } from './bulk-ship.tsx';
import { downloadOrders } from './export.ts';
import { type Order, ordersChanged } from './order-queries.ts';

/** Bulk actions for the selected orders. Orders for which an action is not possible are reported and not changed. */
export function SelectionBar({ orders, onDone }: { orders: Order[]; onDone: () => void }) {
  const can = useCan();
  const [shipping, setShipping] = useState(false);
  const toPay = orders.filter(({ payment_status }) => payment_status === 'awaiting_payment');
  const toShip = orders.filter(isShippable);
  const slips = `/orders/slips?ids=${orders.map(({ id }) => id).join(',')}`;
  return (
    <section className="selection-bar" aria-label={t('Selected orders')}>
      <strong>{t('{count} selected', { count: orders.length })}</strong>
      <div className="actions">
        {can('orders:write') && <MarkPaid orders={toPay} onDone={onDone} />}
        {can('orders:write') && (
          <Button disabled={toShip.length === 0} onClick={() => setShipping(true)}>
            {t('Ship {count}', { count: toShip.length || '' })}
          </Button>
        )}
        <LinkButton to={slips}>{t('Packing slips')}</LinkButton>
        {can('orders:export') && <Button onClick={() => downloadOrders(orders)}>{t('Export')}</Button>}
        <Button kind="quiet" onClick={onDone}>
          {t('Clear')}
        </Button>
      </div>
      {shipping && <BulkShip orders={toShip} onClose={() => setShipping(false)} onDone={onDone} />}
    </section>
  );
}

export function isShippable({ status, fulfillment_status }: Order): boolean {
  return (
    ['confirmed', 'processing'].includes(status) && ['unfulfilled', 'partially_fulfilled'].includes(fulfillment_status)
  );
}

/** Maximum number of orders per call. */
const MOST_MARKED = 100;

/** Marks orders as paid. Resolves to the number of marked orders and the reasons for the others. */
async function markPaid(orders: Order[]): Promise<{ paid: number; refused: string[] }> {
  const marked = { paid: 0, refused: [] as string[] };
  for (let at = 0; at < orders.length; at += MOST_MARKED) {
    const rows = orders.slice(at, at + MOST_MARKED).map(({ order_number }) => ({ order_number }));
    const { counts, results } = await unwrap(api.POST('/api/dashboard/orders/mark-paid', { body: { orders: rows } }));
    marked.paid += counts.paid;
    const failed = results.filter(({ status }) => status === 'failed');
    marked.refused.push(...failed.map((result) => `${result.order_number}: ${rejection(result)}`));
  }
  return marked;
}

function MarkPaid({ orders, onDone }: { orders: Order[]; onDone: () => void }) {
  const [asking, setAsking] = useState(false);
  const work = useMutation({
    mutationFn: () => markPaid(orders),
    onSuccess: async ({ paid, refused }) => {
      await ordersChanged();
      toast([t('{paid} marked as paid.', { paid }), ...refused].join(' '));
      onDone();
    },
    // With several calls, earlier ones may have succeeded.
    onError: async (error) => {
      await ordersChanged();
      toastError(error);
    },
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button disabled={orders.length === 0} onClick={() => setAsking(true)}>
        {t('Mark {count} paid', { count: orders.length || '' })}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => work.mutate()}
        title={tn(orders.length, 'Mark 1 order as paid?', 'Mark {count} orders as paid?', { count: orders.length })}
        action={t('Mark as paid')}
        busy={work.isPending}
        danger={false}
      >
        <p>
          {t('Do this once their transfers are on your account: {map}. The customers receive e-mails.', {
            map: orders.map(({ order_number }) => order_number).join(', '),
          })}
        </p>
      </Confirm>
    </>
  );
}
