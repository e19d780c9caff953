import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError, inWords } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { AmountField } from '../../../ui/number-field.tsx';
import { numberIn } from '../../../ui/typed-number.ts';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

/** Captures an authorized payment, in full or in part. */
export function CaptureDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { amounts } = useFormat();
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (amount: string) => unwrap(api.POST('/api/dashboard/orders/{order_id}/capture', { params, body: { amount } })),
    { said: t('The payment is being captured.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(numberIn(new FormData(event.currentTarget), 'amount', amounts));
  };
  return (
    <Dialog open onClose={onClose} title={t('Capture the payment')}>
      <Form busy={work.isPending} onSubmit={submit}>
        <AmountField
          label={t('Amount in {currency}', { currency: order.currency })}
          name="amount"
          value={order.total}
          hint={t('If you capture less, the rest is released and cannot be captured later.')}
          error={work.error ? (fieldError(work.error, 'amount') ?? inWords(work.error)) : undefined}
          required
        />
        <DialogFoot work={work} action={t('Capture')} error={null} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
