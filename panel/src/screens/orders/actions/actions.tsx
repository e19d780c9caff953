import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { MoreMenu } from '../../../ui/more-menu.tsx';
import { CreateReturnDialog } from '../../returns/create-dialog.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { isShippable } from '../selection-bar.tsx';
import { hasExpired, takesPayments } from '../texts.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { CaptureDialog } from './capture-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { MailDialog } from './mail-dialog.tsx';
import { RecordPaymentDialog } from './record-payment-dialog.tsx';
import { RefundDialog } from './refund-dialog.tsx';
import { ReinstateDialog } from './reinstate-dialog.tsx';
import { ShipDialog } from './ship-dialog.tsx';
import { useAct } from './use-act.ts';

type Act =
  | 'ship'
  | 'paid'
  | 'capture'
  | 'delivered'
  | 'cancel'
  | 'refund'
  | 'return'
  | 'mail'
  | 'reinstate'
  | 'record'
  | 'edit';

/** Regular next steps of an order. All other actions are exceptions. */
const STEPS: Act[] = ['paid', 'capture', 'ship', 'delivered', 'reinstate'];

/** Main actions of an order without a next step. */
const OTHERWISE: Act[] = ['record', 'refund'];

/**
 * The actions that the order's state allows: its next steps as buttons, or one main action if there are none, and the
 * others in a menu.
 */
export function Actions({ order }: { order: OrderDetails }) {
  const can = useCan();
  const [open, setOpen] = useState<Act>();
  const acts = actsFor(order, can);
  const steps = acts.filter(({ act }) => STEPS.includes(act));
  const main = steps.length > 0 ? steps : acts.filter(({ act }) => OTHERWISE.includes(act)).slice(0, 1);
  const others = acts.filter((each) => !main.includes(each));
  const slip = <LinkButton to={`/orders/slips?ids=${order.id}`}>{t('Packing slip')}</LinkButton>;
  const ships = main.some(({ act }) => act === 'ship');
  const button = ({ act, name }: (typeof acts)[number], kind: 'plain' | 'primary') => (
    <Button key={act} kind={kind} onClick={() => setOpen(act)}>
      {name}
    </Button>
  );
  const close = () => setOpen(undefined);
  return (
    <>
      {main.map((each, i) => button(each, i === 0 && each === steps[0] ? 'primary' : 'plain'))}
      {(ships || others.length === 0) && slip}
      {others.length > 0 && (
        <MoreMenu>
          {others.map((each) => button(each, 'plain'))}
          {!ships && slip}
        </MoreMenu>
      )}
      {open === 'paid' && <MarkPaid order={order} onClose={close} />}
      {open === 'capture' && <CaptureDialog order={order} onClose={close} />}
      {open === 'ship' && <ShipDialog order={order} onClose={close} />}
      {open === 'delivered' && <MarkDelivered order={order} onClose={close} />}
      {open === 'return' && <CreateReturnDialog order={order} onClose={close} />}
      {open === 'refund' && <RefundDialog order={order} onClose={close} />}
      {open === 'edit' && <EditDialog order={order} onClose={close} />}
      {open === 'mail' && <MailDialog order={order} onClose={close} />}
      {open === 'record' && <RecordPaymentDialog order={order} onClose={close} />}
      {open === 'reinstate' && <ReinstateDialog order={order} onClose={close} />}
      {open === 'cancel' && <CancelDialog order={order} onClose={close} />}
    </>
  );
}

function actsFor(order: OrderDetails, can: (scope: string) => boolean): { act: Act; name: string }[] {
  const { status, payment_status, payment_method, fulfillment_status, refundable, total } = order;
  const isOpen = !['cancelled', 'completed'].includes(status);
  const awaits = payment_method === 'bank_transfer' && payment_status === 'awaiting_payment';
  const acts: { act: Act; name: string; fits: boolean; scope: string }[] = [
    { act: 'paid', name: t('Mark as paid'), fits: awaits, scope: 'orders:write' },
    {
      act: 'capture',
      name: t('Capture payment'),
      fits: isOpen && payment_status === 'authorized',
      scope: 'orders:write',
    },
    { act: 'ship', name: t('Ship'), fits: isShippable(order) && hasPiecesToShip(order), scope: 'orders:write' },
    {
      act: 'reinstate',
      name: t('Reinstate order'),
      fits: hasExpired(order) && Number(refundable) >= Number(total),
      scope: 'orders:write',
    },
    { act: 'record', name: t('Record payment'), fits: hasExpired(order), scope: 'orders:write' },
    { act: 'record', name: t('Record payment'), fits: takesPayments(order), scope: 'orders:payments' },
    { act: 'edit', name: t('Edit order'), fits: isOpen && isEditable(order), scope: 'orders:write' },
    { act: 'delivered', name: t('Mark as delivered'), fits: fulfillment_status === 'fulfilled', scope: 'orders:write' },
    { act: 'mail', name: t('Resend mail'), fits: order.email !== null, scope: 'orders:write' },
    { act: 'return', name: t('Create return'), fits: hasPiecesToReturn(order), scope: 'orders:write' },
    { act: 'refund', name: t('Refund'), fits: Number(refundable) > 0, scope: 'orders:refund' },
    {
      act: 'cancel',
      name: t('Cancel order'),
      fits: isOpen && fulfillment_status === 'unfulfilled',
      scope: 'orders:write',
    },
  ];
  return acts.filter(({ fits, scope }) => fits && can(scope));
}

/** Whether the items can be edited. An open payment at the provider must end first. */
function isEditable({ fulfillment_status, payment_status, payment_method }: OrderDetails): boolean {
  const isUnshipped = fulfillment_status === 'unfulfilled' || fulfillment_status === 'partially_fulfilled';
  const isOpen = payment_status === 'authorized' || (payment_status === 'pending' && payment_method !== 'manual');
  return isUnshipped && !isOpen && !['failed', 'voided', 'expired', 'refunded'].includes(payment_status);
}

function hasPiecesToShip({ line_states }: OrderDetails): boolean {
  return line_states.some(({ to_fulfill }) => to_fulfill > 0);
}

function hasPiecesToReturn({ line_states }: OrderDetails): boolean {
  return line_states.some(({ returnable }) => returnable > 0);
}

function MarkPaid({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { money } = useFormat();
  const params = { path: { order_id: order.id } };
  const work = useAct(() => unwrap(api.POST('/api/dashboard/orders/{order_id}/mark-paid', { params })), {
    said: t('Order {order_number} is paid.', { order_number: order.order_number }),
    onDone: onClose,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => work.mutate()}
      title={t('Mark as paid?')}
      action={t('Mark as paid')}
      busy={work.isPending}
      danger={false}
    >
      <p>
        {t(
          'Do this once {total} with the reference {order_number} have arrived in your account. The customer receives an e-mail.',
          { total: money(order.total, order.currency), order_number: order.order_number },
        )}
      </p>
    </Confirm>
  );
}

function MarkDelivered({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const params = { path: { order_id: order.id } };
  const work = useAct(() => unwrap(api.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params })), {
    said: t('Order {order_number} is delivered.', { order_number: order.order_number }),
    onDone: onClose,
  });
  const isOnTerms = order.payment_terms !== null;
  const onHandover = order.payment_method === 'manual' && order.payment_status === 'pending' && !isOnTerms;
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => work.mutate()}
      title={t('Mark as delivered?')}
      action={t('Mark as delivered')}
      busy={work.isPending}
      danger={false}
    >
      <p>
        {t('The customer has received everything.')}
        {onHandover && ` ${t('Payment was due on handover, so the order is marked as paid, too.')}`}
      </p>
    </Confirm>
  );
}
