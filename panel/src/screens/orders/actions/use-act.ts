import { useMutation } from '@tanstack/react-query';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { ordersChanged } from '../order-queries.ts';

/** Runs an action on an order. Then refetches the order, closes the dialog if it is still open, and reports success. */
export function useAct<Input = void>(
  act: (input: Input) => Promise<unknown>,
  { said, onDone, quiet = false }: { said: string; onDone?: () => void; quiet?: boolean },
) {
  const work = useMutation<unknown, Error, Input>({
    mutationFn: act,
    onSuccess: async () => {
      await ordersChanged();
      toast(said);
    },
    // Dialogs show their own error next to the fields.
    ...(!quiet && { onError: toastError }),
  });
  return { ...work, mutate: (input: Input) => work.mutate(input, { onSuccess: () => onDone?.() }) };
}
