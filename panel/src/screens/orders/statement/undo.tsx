import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
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
    onSuccess: ({ orders }) => toast(`${counted(orders.length, 'order')} awaiting payment again.`),
    onError: toastError,
    onSettled: async () => {
      await Promise.all([ordersChanged(), readAgain('statement-runs')]);
      setOpen(false);
    },
  });
  if (undo.isSuccess) return <span>Undone</span>;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Undo</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => undo.mutate()}
        busy={undo.isPending}
        title="Undo this statement?"
        action={`Undo ${counted(numbers.length, 'payment')}`}
      >
        <p>
          {numbers.length === 1 ? 'Order' : 'Orders'} {numbers.join(', ')} will await payment again, with a new
          deadline. Customers get no mail about it.
        </p>
      </Confirm>
    </>
  );
}
