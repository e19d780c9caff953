import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { csvOf, download } from '../../ui/csv.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import { type CustomerQuery, GUESTS_PATH, type GuestQuery } from './queries.ts';

/** Maximum number of rows in an export. `commerce customers export` has no limit. */
const MOST = 5_000;

type Cells = (string | number | null)[];

const COLUMNS = [
  ...['email', 'first_name', 'last_name', 'phone', 'has_account', 'marketing_opt_in', 'orders_count', 'total_spent'],
  ...['note', 'created_at', 'id'],
] as const satisfies (keyof Schemas['CustomerRecord'])[];

const GUEST_COLUMNS = [
  ...['email', 'first_name', 'last_name', 'orders_count', 'total_spent', 'first_order_at', 'last_order_at'],
] as const satisfies (keyof Schemas['Guest'])[];

/** Exports the customers or guests that match the filters, on all pages, but at most 5,000. */
export function ExportCustomers({ query, guests }: { query: CustomerQuery; guests: GuestQuery | undefined }) {
  const can = useCan();
  const { number } = useFormat();
  const work = useMutation({
    mutationFn: () => (guests ? guestRows(guests) : customerRows(query)),
    onSuccess: (rows) => {
      const header = guests ? GUEST_COLUMNS : COLUMNS;
      const name = guests ? 'guests' : 'customers';
      download(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, csvOf([[...header], ...rows]));
      toast(
        rows.length === MOST
          ? t('The first {count} rows were exported.', { count: number(MOST) })
          : t('{count} rows exported.', { count: number(rows.length) }),
      );
    },
    onError: toastError,
  });
  if (!can('customers:export')) return null;
  return (
    <Button busy={work.isPending} onClick={() => work.mutate()}>
      {t('Export CSV')}
    </Button>
  );
}

async function customerRows(query: CustomerQuery): Promise<Cells[]> {
  return allRows(async (page) => {
    const params = { query: { ...query, page, limit: 100 } };
    const { customers, pages } = await unwrap(api.GET('/api/dashboard/customers', { params }));
    const known = customers.filter(({ anonymized_at }) => anonymized_at === null);
    return { pages, rows: known.map((customer) => COLUMNS.map((name) => text(customer[name]))) };
  });
}

async function guestRows(query: GuestQuery): Promise<Cells[]> {
  return allRows(async (page) => {
    const params = { query: { ...query, page, limit: 100 } };
    const { guests, pages } = await unwrap(api.GET(GUESTS_PATH, { params }));
    return { pages, rows: guests.map((guest) => GUEST_COLUMNS.map((name) => guest[name])) };
  });
}

async function allRows(read: (page: number) => Promise<{ pages: number; rows: Cells[] }>): Promise<Cells[]> {
  const all: Cells[] = [];
  for (let page = 1; all.length < MOST; page += 1) {
    const { pages, rows } = await read(page);
    all.push(...rows);
    if (page >= pages) break;
  }
  return all.slice(0, MOST);
}

function text(value: string | number | boolean | null): string | number | null {
  return typeof value === 'boolean' ? String(value) : value;
}
