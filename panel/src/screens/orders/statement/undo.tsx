import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t, tn } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { ordersChanged } from '../order-queries.ts';

/** Undoes a bank statement run after the user has confirmed the list of its orders. */
export function UndoButton({ run_id, numbers }: { run_id: string; numbers: string[] }) {
  const { counted } = useFormat();
  const [open, setOpen] = useState(false);
  const undo = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/dashboard/statement-runs/{statement_run_id}/undo', {
          params: { path: { statement_run_id: run_id } },
        }),
      ),
    onSuccess: ({ orders }) =>
      toast(t('{count} awaiting payment again.', { count: counted(orders.length, '{count} order', '{count} orders') })),
    onError: toastError,
    onSettled: async () => {
      await Promise.all([ordersChanged(), readAgain('statement-runs')]);
      setOpen(false);
    },
  });
  if (undo.isSuccess) return <span>{t('Undone')}</span>;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Undo')}</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => undo.mutate()}
        busy={undo.isPending}
        title={t('Undo this statement?')}
        action={t('Undo {count}', { count: counted(numbers.length, '{count} payment', '{count} payments') })}
      >
        <p>
          {t('{which} {numbers} will await payment again, with a new deadline. Customers get no mail about it.', {
            which: tn(numbers.length, 'Order', 'Orders'),
            numbers: numbers.join(', '),
          })}
        </p>
      </Confirm>
    </>
  );
}
