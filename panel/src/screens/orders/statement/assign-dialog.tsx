import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { decimalsOf, readAmount } from '../../../../../cli/src/formats/amounts.ts';
import { api, inWords, type Schemas } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { AmountField } from '../../../ui/number-field.tsx';
import { Facts } from '../../../ui/page.tsx';
import { toast } from '../../../ui/toasts.tsx';
import { ordersChanged } from '../order-queries.ts';
import { nameOf } from '../texts.ts';
import type { OrderOfRow, Row } from './rows.ts';

type Order = Schemas['OrderDetails'];

/** Assigns a bank transfer to an order that the user searches for and confirms. */
export function AssignDialog({
  row,
  taken,
  onClose,
  onAssigned,
  onRecorded,
}: {
  row: Row;
  /** Ids of orders that other transfers of the statement already pay. */
  taken: string[];
  onClose: () => void;
  onAssigned: (order: OrderOfRow) => void;
  /** Called after a payment was recorded for an expired order. */
  onRecorded: (order: OrderOfRow) => void;
}) {
  const [order, setOrder] = useState<Order>();
  const find = useMutation({ mutationFn: findOrder, onSuccess: setOrder });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    find.mutate(String(new FormData(event.currentTarget).get('number')).trim().replace(/^#/, ''));
  };
  return (
    <Dialog open onClose={onClose} title={t('Assign a transfer')}>
      <TransferFacts row={row} />
      {order?.payment_status === 'expired' && (
        <Late row={row} order={order} onClose={onClose} onRecorded={onRecorded} />
      )}
      {order && order.payment_status !== 'expired' && (
        <Found row={row} order={order} isTaken={taken.includes(order.id)} onClose={onClose} onAssigned={onAssigned} />
      )}
      {!order && (
        <Form busy={find.isPending} onSubmit={submit}>
          <TextField
            label={t('Order number')}
            name="number"
            defaultValue={row.transfer.orders[0]?.order_number ?? ''}
            required
          />
          <DialogFoot work={find} action={t('Find the order')} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  );
}

async function findOrder(number: string): Promise<Order> {
  const params = { query: { q: number, limit: 100 } };
  const { orders } = await unwrap(api.GET('/api/dashboard/orders', { params }));
  const found = orders.find(({ order_number }) => order_number === number);
  if (!found) throw new Error(`There is no order ${number}.`);
  return unwrap(api.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id: found.id } } }));
}

function TransferFacts({ row: { transfer } }: { row: Row }) {
  const facts = [
    [t('Amount'), `${transfer.amount} ${transfer.currency ?? ''}`],
    [t('From'), transfer.payer],
    [t('Text'), transfer.text],
    [t('Check'), transfer.message],
  ] as const;
  return <Facts facts={facts} />;
}

function Found({
  row: { transfer },
  order,
  isTaken,
  onClose,
  onAssigned,
}: {
  row: Row;
  order: Order;
  isTaken: boolean;
  onClose: () => void;
  onAssigned: (order: OrderOfRow) => void;
}) {
  const foreign =
    transfer.currency && transfer.currency !== order.currency
      ? t('It is in {currency}.', { currency: transfer.currency })
      : undefined;
  const reason = isTaken ? t('Another transfer of this statement pays this order.') : (foreign ?? refusalOf(order));
  const { id, order_number, total, currency, payment_status, email = null } = order;
  return (
    <>
      <OrderFacts order={order} />
      {reason && <p className="error">{reason}</p>}
      {!reason && Number(order.amount_due) !== Number(transfer.amount) && (
        <p role="status">{effectOf(order, Number(transfer.amount))}</p>
      )}
      <footer>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        {!reason && (
          <Button
            kind="primary"
            onClick={() => onAssigned({ id, order_number, total, currency, payment_status, email })}
          >
            {t('Assign')}
          </Button>
        )}
      </footer>
    </>
  );
}

/** For an expired order, records the payment first. Then the user reinstates the order or refunds the payment. */
function Late({
  row: { transfer },
  order,
  onClose,
  onRecorded,
}: {
  row: Row;
  order: Order;
  onClose: () => void;
  onRecorded: (order: OrderOfRow) => void;
}) {
  const { id, order_number, total, currency, payment_status, email = null } = order;
  // If the amount is unreadable or in another currency, the user must enter it.
  const isForeign = Boolean(transfer.currency) && transfer.currency !== currency;
  const [amount, setAmount] = useState(() =>
    isForeign ? '' : (readAmount(transfer.amount, { sign: '.', decimals: decimalsOf(currency) }).amount ?? ''),
  );
  const params = { path: { order_id: id } };
  const record = useMutation({
    mutationFn: () => {
      const body = { amount, reference: transfer.text.slice(0, LONGEST_REFERENCE) || null };
      return unwrap(api.POST('/api/dashboard/orders/{order_id}/payments', { params, body }));
    },
    onSuccess: async () => {
      await ordersChanged();
      toast(t('The payment is recorded. Reinstate order {order_number}, or refund the money.', { order_number }));
      onRecorded({ id, order_number, total, currency, payment_status, email });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    record.mutate();
  };
  return (
    <Form busy={record.isPending} onSubmit={submit}>
      <OrderFacts order={order} />
      <p>{t('This order has expired. The money is recorded; then reinstate the order or refund the money.')}</p>
      <AmountField
        label={t('Amount in {currency}', { currency })}
        value={amount}
        onValue={setAmount}
        error={record.error ? inWords(record.error) : undefined}
        required
      />
      <DialogFoot work={record} action={t('Record late payment')} error={null} onCancel={onClose} />
    </Form>
  );
}

const LONGEST_REFERENCE = 255;

function OrderFacts({ order }: { order: Order }) {
  const { money } = useFormat();
  return (
    <Facts
      facts={[
        [t('Order'), order.order_number],
        [t('Customer'), nameOf(order)],
        [t('Total'), money(order.total, order.currency)],
        [t('Amount due'), money(order.amount_due, order.currency)],
        [t('Payment'), <Badge key="payment" value={order.payment_status} />],
      ]}
    />
  );
}

const SETTLED = ['paid', 'partially_refunded', 'refunded'];

/** Describes the effect of assigning a transfer whose amount differs from the amount due. */
function effectOf({ amount_due, amount_received, payment_terms, payment_status }: Order, amount: number): string {
  if (amount > Number(amount_due)) return t('The transfer is above the amount due. You can refund the difference.');
  const inParts = payment_terms || SETTLED.includes(payment_status) || Number(amount_received) > 0;
  return inParts
    ? t('The transfer is below the amount due. The rest stays due.')
    : t('The transfer is below the amount due. The order counts as fully paid.');
}

function refusalOf({ payment_method, payment_status, payment_terms, amount_due }: Order): string | undefined {
  if (payment_terms || SETTLED.includes(payment_status)) {
    return Number(amount_due) > 0 ? undefined : t('Nothing is due for this order.');
  }
  if (payment_method !== 'bank_transfer') return t('This order is not paid by bank transfer.');
  return payment_status === 'awaiting_payment' ? undefined : t('This order is not awaiting payment.');
}
