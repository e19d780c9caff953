import { useMutation } from '@tanstack/react-query';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { downloadOrders } from './export.ts';
import { allOrders, type OrderQuery } from './order-queries.ts';

/** Maximum number of orders in an export. `commerce orders export` has no limit. */
const MOST = 5_000;

/** Exports the orders that match the filters, on all pages, but at most 5,000. */
export function ExportButton({ query }: { query: OrderQuery }) {
  const can = useCan();
  const { counted } = useFormat();
  const work = useMutation({
    mutationFn: () => allOrders(query, MOST),
    onSuccess: (orders) => {
      downloadOrders(orders);
      toast(
        orders.length === MOST
          ? t('The first {count} were exported.', { count: counted(MOST, '{count} order', '{count} orders') })
          : t('{count} exported.', { count: counted(orders.length, '{count} order', '{count} orders') }),
      );
    },
    onError: toastError,
  });
  if (!can('orders:export')) return null;
  return (
    <Button busy={work.isPending} onClick={() => work.mutate()}>
      {t('Export CSV')}
    </Button>
  );
}
