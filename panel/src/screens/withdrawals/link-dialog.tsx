import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, fieldError, readAgain } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast } from '../../ui/toasts.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import { ordersChanged } from '../orders/order-queries.ts';

/** Links a statement without an order to the order whose number staff enter. */
export function LinkDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const params = { path: { withdrawal_id: id } };
  const link = useMutation<unknown, Error, string>({
    mutationFn: (order_number) =>
      unwrap(api.POST('/api/dashboard/withdrawals/{withdrawal_id}/link', { params, body: { order_number } })),
    onSuccess: async () => {
      await Promise.all([readAgain('withdrawals'), readAgain('returns'), ordersChanged()]);
      toast(t('The withdrawal is linked to the order.'));
      onClose();
    },
  });
  const error = fieldError(link.error, 'order_number');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    link.mutate(textIn(new FormData(event.currentTarget), 'order_number') ?? '');
  };
  return (
    <Dialog open onClose={onClose} title={t('Link to an order')}>
      <Form busy={link.isPending} onSubmit={submit}>
        <TextField
          label={t('Order number')}
          name="order_number"
          maxLength={64}
          hint={t('Items that have not shipped are withheld, and shipped items become a return.')}
          error={error}
          required
        />
        <DialogFoot work={link} action={t('Link the order')} error={error ? null : link.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
