import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { label } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import { ordersChanged } from '../orders/order-queries.ts';

export type Return = Schemas['Return'];
export type ReturnLine = Return['lines'][number];

export interface ReturnFilters {
  page: number;
  status?: Inputs['ReturnStatus'];
  open?: boolean;
}

export function useReturns({ page, status, open }: ReturnFilters) {
  const query = { page, limit: 50, ...(status && { status }), ...(open !== undefined && { open }) };
  return useQuery({
    queryKey: ['returns', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/returns', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useReturnsOf(order_id: string) {
  return useQuery({
    queryKey: ['returns', 'of', order_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/returns', { params: { query: { order_id, limit: 100 } }, signal })),
  });
}

export function useReturn(return_id: string) {
  return useQuery({
    queryKey: ['returns', return_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/returns/{return_id}', { params: { path: { return_id } }, signal })),
  });
}

/** An action on a return: refetches the data that it changes, closes its dialog, and reports success. */
export function useReturnAct<Input = void>(
  act: (input: Input) => Promise<unknown>,
  { said, onDone, quiet = false }: { said: string; onDone: () => void; quiet?: boolean },
) {
  const work = useMutation<unknown, Error, Input>({
    mutationFn: act,
    onSuccess: async () => {
      await Promise.all([readAgain('returns'), ordersChanged()]);
      toast(said);
    },
    // A dialog shows its own error at the field.
    ...(!quiet && { onError: toastError }),
  });
  return { ...work, mutate: (input: Input) => work.mutate(input, { onSuccess: onDone }) };
}

export function returnLineName({ name, variant_name }: ReturnLine): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}

export const REASONS = [
  'changed_mind',
  'does_not_fit',
  'not_as_described',
  'damaged',
  'wrong_item',
  'arrived_late',
  'other',
] as const;

const STATUS_NAMES: Record<string, string> = {
  requested: t('To approve'),
  in_transit: t('On its way'),
  received: t('To refund'),
};

/** The status in words that name the next step. */
export function statusName(status: Return['status']): string {
  return STATUS_NAMES[status] ?? label(status);
}
