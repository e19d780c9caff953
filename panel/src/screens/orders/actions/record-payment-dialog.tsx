import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { api, fieldError } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select, TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { AmountField } from '../../../ui/number-field.tsx';
import { textIn } from '../bulk-ship.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { hasExpired } from '../texts.ts';
import { useAct } from './use-act.ts';

const METHODS = {
  bank_transfer: t('Bank transfer'),
  cash: t('Cash'),
  card: t('Card'),
  other: t('Something else'),
} as const;

const LATE = t('The payment is recorded. Reinstate the order, or refund the money.');

interface Payment {
  amount: string;
  method: keyof typeof METHODS;
  received_at?: string;
  reference: string | null;
}

/** Records a payment: of all or a part of the amount due, or one that arrived after the order had expired. */
export function RecordPaymentDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { money } = useFormat();
  const [amount, setAmount] = useState(hasExpired(order) ? order.total : order.amount_due);
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (body: Payment) => unwrap(api.POST('/api/dashboard/orders/{order_id}/payments', { params, body })),
    { said: hasExpired(order) ? LATE : t('The payment is recorded.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(paymentOf(new FormData(event.currentTarget), amount));
  };
  const amountError = fieldError(work.error, 'amount');
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Record a payment for order {order_number}', { order_number: order.order_number })}
    >
      <Form busy={work.isPending} onSubmit={submit}>
        <AmountField
          label={t('Amount in {currency}', { currency: order.currency })}
          value={amount}
          onValue={setAmount}
          hint={
            !hasExpired(order) &&
            t('{amount_due} are due. Money above that has to be refunded.', {
              amount_due: money(order.amount_due, order.currency),
            })
          }
          error={amountError}
          required
        />
        <Select label={t('Payment method')} name="method">
          {Object.entries(METHODS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <TextField label={t('Day')} name="received_on" type="date" hint={t('When it arrived. Today if left empty.')} />
        <TextField
          label={t('Reference')}
          name="reference"
          maxLength={255}
          hint={t('As on the bank statement. Optional.')}
        />
        <DialogFoot
          work={work}
          action={t('Record payment')}
          error={amountError ? null : work.error}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

function paymentOf(form: FormData, amount: string): Payment {
  const day = textIn(form, 'received_on');
  return {
    amount,
    method: String(form.get('method')) as Payment['method'],
    ...(day && { received_at: new Date(`${day}T00:00`).toISOString() }),
    reference: textIn(form, 'reference'),
  };
}
