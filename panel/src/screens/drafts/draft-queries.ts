import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import { ordersChanged } from '../orders/order-queries.ts';

export type Draft = Schemas['DraftOrder'];
export type DraftSummary = Schemas['DraftOrderSummary'];

export const STATUSES = ['open', 'sent', 'completed', 'cancelled', 'expired'] as const;

export function useDrafts({ page, status }: { page: number; status?: Inputs['DraftOrderStatus'] }) {
  const query = { page, limit: 50, ...(status && { status }) };
  return useQuery({
    queryKey: ['drafts', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/draft-orders', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useDraft(draft_order_id: string) {
  return useQuery({
    queryKey: ['drafts', draft_order_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/draft-orders/{draft_order_id}', { params: { path: { draft_order_id } }, signal })),
  });
}

/** An action on a draft: refetches the data that it changes, and reports success. */
export function useDraftAct<Input = void, Answer = unknown>(
  act: (input: Input) => Promise<Answer>,
  said: string,
  onDone?: () => void,
) {
  return useMutation<Answer, Error, Input>({
    mutationFn: act,
    onSuccess: async () => {
      await Promise.all([readAgain('drafts'), ordersChanged()]);
      toast(said);
      onDone?.();
    },
    onError: toastError,
  });
}
