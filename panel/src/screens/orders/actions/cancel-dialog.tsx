import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
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
  customer: 'The customer asked for it',
  inventory: 'Out of stock',
  fraud: 'Fraud',
  staff: 'Our mistake',
  other: 'Something else',
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
      said: `Order ${order.order_number} is cancelled. The customer receives an e-mail.`,
      onDone: onClose,
      quiet: true,
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog open onClose={onClose} title={`Cancel order ${order.order_number}?`}>
      <Form busy={work.isPending} onSubmit={submit}>
        <Select label="Reason" name="reason">
          {Object.entries(REASONS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <TextArea label="Note for staff" name="note" rows={2} maxLength={5000} hint="Kept with the order for good." />
        <Checkbox label="Restock the items" name="restock" defaultChecked />
        {Number(order.refundable) > 0 && can('orders:refund') && (
          <Checkbox label={`Refund ${money(order.refundable, order.currency)}`} name="refund" defaultChecked />
        )}
        <FormError error={work.error} />
        <footer>
          <Button onClick={onClose}>Keep the order</Button>
          <Button type="submit" kind="danger" busy={work.isPending}>
            Cancel the order
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
