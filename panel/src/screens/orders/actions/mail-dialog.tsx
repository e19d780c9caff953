import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, type Schemas } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

type Kind = (typeof KINDS)[number]['kind'];

const KINDS = [
  { kind: 'placed', name: t('Your order was placed'), fits: ({ status }: OrderDetails) => status !== 'cancelled' },
  { kind: 'payment_reminder', name: t('Payment reminder'), fits: paying('awaiting_payment') },
  { kind: 'payment_received', name: t('Your payment has arrived'), fits: paying('paid') },
  {
    kind: 'edited',
    name: t('Your order was changed'),
    fits: ({ status, versions }: OrderDetails) => versions.length > 0 && status !== 'cancelled',
  },
  {
    kind: 'shipped',
    name: t('Your order was shipped'),
    fits: ({ fulfillments }: OrderDetails) => fulfillments.length > 0,
  },
  {
    kind: 'cancelled',
    name: t('Your order was cancelled'),
    fits: ({ status }: OrderDetails) => status === 'cancelled',
  },
  {
    kind: 'refunded',
    name: t('Your refund'),
    fits: ({ refunds }: OrderDetails) => refunds.some(({ status }) => status === 'succeeded'),
  },
] as const;

function paying(wanted: Schemas['PaymentStatus']) {
  return ({ payment_status }: OrderDetails) => payment_status === wanted;
}

/** Resends one of the mails that fit the order's state. */
export function MailDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (kind: Kind) => unwrap(api.POST('/api/dashboard/orders/{order_id}/mails', { params, body: { kind } })),
    { said: t('The mail to {email} is on its way.', { email: order.email }), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(String(new FormData(event.currentTarget).get('kind')) as Kind);
  };
  return (
    <Dialog open onClose={onClose} title={t('Send a mail again')}>
      <Form busy={work.isPending} onSubmit={submit}>
        <Select
          label={t('Mail')}
          name="kind"
          hint={t('To {email}, with the current state of the order.', { email: order.email })}
        >
          {KINDS.filter(({ fits }) => fits(order)).map(({ kind, name }) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Select>
        <DialogFoot work={work} action={t('Send')} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
