import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { downloadBytes } from '../../ui/csv.ts';
import { Card } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import type { OrderDetails } from './order-queries.ts';

const NAMES = { invoice: t('Invoice'), credit_note: t('Credit note') };

/** With `isAwaited`, repeats the read every second, to show the invoice once the job has issued it. */
function useDocumentsOf(order_id: string, isAwaited: boolean) {
  return useQuery({
    queryKey: ['orders', order_id, 'documents'],
    refetchInterval: isAwaited && 1000,
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/documents', { params: { query: { order_id, limit: 100 } }, signal })),
  });
}

/** Whether the invoices exceed the credit notes in total. No currency of the server has more than three decimals. */
function isCharged(documents: Pick<Schemas['Document'], 'kind' | 'total'>[]): boolean {
  const thousandths = documents.map(
    ({ kind, total }) => Math.round(Number(total) * 1000) * (kind === 'invoice' ? 1 : -1),
  );
  return thousandths.reduce((sum, one) => sum + one, 0) > 0;
}

/** The invoice and credit notes of an order, with their PDFs. */
export function DocumentsCard({ order: { id: order_id } }: { order: OrderDetails }) {
  const { date, money } = useFormat();
  const can = useCan();
  const [isAwaited, setAwaited] = useState(false);
  const { data } = useDocumentsOf(order_id, isAwaited);
  const issue = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/api/dashboard/orders/{order_id}/documents', { params: { path: { order_id } } })),
    onSuccess: async () => {
      setAwaited(true);
      toast(t('The invoice is being issued.'));
      await readAgain('orders');
    },
    onError: toastError,
  });
  const download = useMutation({
    mutationFn: (document_id: string) => {
      const params = { path: { document_id, format: 'pdf' as const } };
      return unwrap(api.GET('/api/dashboard/documents/{document_id}/files/{format}', { params }));
    },
    onSuccess: ({ filename, content, content_type }) => downloadBytes(filename, content, content_type),
    onError: toastError,
  });
  if (!data) return null;
  const hasInvoice = isCharged(data.documents);
  if (hasInvoice && isAwaited) setAwaited(false);
  if (data.documents.length === 0 && !can('orders:write')) return null;
  return (
    <Card title={t('Invoices')}>
      <ul className="records">
        {data.documents.toReversed().map(({ id, kind, number, issued_at, total, currency }) => (
          <li key={id}>
            {NAMES[kind as keyof typeof NAMES] ?? kind} {number}, {date(issued_at)}, {money(total, currency)}{' '}
            <Button kind="quiet" aria-label={t('Download {number}', { number })} onClick={() => download.mutate(id)}>
              {t('PDF')}
            </Button>
          </li>
        ))}
      </ul>
      {!hasInvoice && can('orders:write') && (
        <Button busy={issue.isPending || isAwaited} onClick={() => issue.mutate()}>
          {t('Issue the invoice')}
        </Button>
      )}
    </Card>
  );
}
