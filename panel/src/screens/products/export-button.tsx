import type { Product } from '@commerce-backend/spec';
import { useMutation } from '@tanstack/react-query';
import { shopifyRows } from '../../../../cli/src/formats/shopify-rows.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { csvOfSafe, download } from '../../ui/csv.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import { allProducts, MOST_SELECTED } from './bulk/bulk-queries.ts';
import type { productQuery } from './filters.tsx';

/** Exports the products that match the filters, at most 5,000, as a CSV that can be imported again. */
export function ExportProducts({ query }: { query: ReturnType<typeof productQuery> }) {
  const { number } = useFormat();
  const work = useMutation({
    mutationFn: () => allProducts(query),
    onSuccess: (products) => {
      const rows = shopifyRows(products as Product[], new Date(), { forSpreadsheets: true });
      download(`products-${new Date().toISOString().slice(0, 10)}.csv`, csvOfSafe(rows));
      toast(
        products.length === MOST_SELECTED
          ? t('The first {count} products were exported.', { count: number(MOST_SELECTED) })
          : t('{count} products exported.', { count: number(products.length) }),
      );
    },
    onError: toastError,
  });
  return (
    <Button busy={work.isPending} onClick={() => work.mutate()}>
      {t('Export CSV')}
    </Button>
  );
}
