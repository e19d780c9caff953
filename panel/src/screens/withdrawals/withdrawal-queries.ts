import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { api, readAgain, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import { ordersChanged } from '../orders/order-queries.ts';

export type Withdrawal = Schemas['Withdrawal'];

export function useWithdrawals(page: number, open: boolean | undefined) {
  const query = { page, limit: 50, ...(open !== undefined && { open }) };
  return useQuery({
    queryKey: ['withdrawals', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/withdrawals', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useWithdrawalsOf(order_id: string) {
  return useQuery({
    queryKey: ['withdrawals', 'of', order_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/withdrawals', { params: { query: { order_id, limit: 100 } }, signal })),
  });
}

export function useWithdrawal(withdrawal_id: string) {
  return useQuery({
    queryKey: ['withdrawals', withdrawal_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/withdrawals/{withdrawal_id}', { params: { path: { withdrawal_id } }, signal })),
  });
}

/** A decision about a withdrawal: refetches the data that it changes, and reports success. */
export function useDecision<T = void>(act: (input: T) => Promise<unknown>, said: string, onDone: () => void) {
  return useMutation<unknown, Error, T>({
    mutationFn: act,
    onSuccess: async () => {
      await Promise.all([readAgain('withdrawals'), readAgain('returns'), ordersChanged()]);
      toast(said);
      onDone();
    },
    onError: toastError,
  });
}

const STATUS_NAMES: Record<Withdrawal['status'], string> = {
  received: t('Received'),
  unmatched: t('Without an order'),
  to_confirm: t('To confirm'),
  closed: t('Closed'),
};

export function withdrawalStatus(status: Withdrawal['status']): string {
  return STATUS_NAMES[status] ?? status;
}
