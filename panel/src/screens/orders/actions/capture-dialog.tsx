import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError, inWords } from '../../../api.ts';
import { typedAmount } from '../../../ui/decimals.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

/** Takes what the provider has reserved, or a part of it. */
export function CaptureDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (amount: string) => unwrap(api.POST('/api/dashboard/orders/{order_id}/capture', { params, body: { amount } })),
    { said: 'The payment is being captured.', onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(typedAmount(String(new FormData(event.currentTarget).get('amount'))));
  };
  return (
    <Dialog open onClose={onClose} title="Capture the payment">
      <Form busy={work.isPending} onSubmit={submit}>
        <TextField
          label={`Amount in ${order.currency}`}
          name="amount"
          inputMode="decimal"
          defaultValue={order.total}
          hint="If you take less, the rest is released to the customer and cannot be taken later."
          error={work.error ? (fieldError(work.error, 'amount') ?? inWords(work.error)) : undefined}
          required
        />
        <DialogFoot work={work} action="Capture" error={null} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
