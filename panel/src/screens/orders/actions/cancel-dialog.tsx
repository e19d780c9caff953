import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Select, TextArea } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { textIn } from '../bulk-ship.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

const REASONS = {
  customer: t('The customer asked for it'),
  inventory: t('Out of stock'),
  fraud: t('Fraud'),
  staff: t('Our mistake'),
  other: t('Something else'),
} as const;

/** Cancels an order with a reason. The user chooses whether to restock and to refund. */
export function CancelDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { money } = useFormat();
  const can = useCan();
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (form: FormData) =>
      unwrap(
        api.POST('/api/dashboard/orders/{order_id}/cancel', {
          params,
          body: {
            reason: String(form.get('reason')) as keyof typeof REASONS,
            note: textIn(form, 'note'),
            restock: form.has('restock'),
            refund: form.has('refund'),
          },
        }),
      ),
    {
      said: t('Order {order_number} is cancelled. The customer receives an e-mail.', {
        order_number: order.order_number,
      }),
      onDone: onClose,
      quiet: true,
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog open onClose={onClose} title={t('Cancel order {order_number}?', { order_number: order.order_number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <Select label={t('Reason')} name="reason">
          {Object.entries(REASONS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <TextArea
          label={t('Note for staff')}
          name="note"
          rows={2}
          maxLength={5000}
          hint={t('Kept with the order for good.')}
        />
        <Checkbox label={t('Restock the items')} name="restock" defaultChecked />
        {Number(order.refundable) > 0 && can('orders:refund') && (
          <Checkbox
            label={t('Refund {refundable}', { refundable: money(order.refundable, order.currency) })}
            name="refund"
            defaultChecked
          />
        )}
        <FormError error={work.error} />
        <footer>
          <Button onClick={onClose}>{t('Keep the order')}</Button>
          <Button type="submit" kind="danger" busy={work.isPending}>
            {t('Cancel the order')}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
