import { useMutation } from '@tanstack/react-query';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { ordersChanged } from '../order-queries.ts';

/** An act on an order: says that it was done, and shows the order as it is then. */
export function useAct<Input = void>(
  act: (input: Input) => Promise<unknown>,
  { said, onDone, quiet = false }: { said: string; onDone?: () => void; quiet?: boolean },
) {
  return useMutation<unknown, Error, Input>({
    mutationFn: act,
    onSuccess: async () => {
      toast(said);
      onDone?.();
      await ordersChanged();
    },
    // A dialog shows its own error beside the field.
    ...(!quiet && { onError: toastError }),
  });
}
