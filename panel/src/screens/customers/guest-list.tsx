import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Empty, Loaded } from '../../ui/page.tsx';
import { GUESTS_PATH, type GuestQuery } from './queries.ts';

type Guest = Schemas['Guest'];

function useGuests(query: GuestQuery, enabled = true) {
  return useQuery({
    queryKey: ['customers', 'guests', query],
    queryFn: ({ signal }) => unwrap(api.GET(GUESTS_PATH, { params: { query }, signal })),
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** Lists people who have ordered without an account, by the e-mails of their orders. */
export function GuestList({ query, onPage }: { query: GuestQuery; onPage: (page: number) => void }) {
  return (
    <Loaded query={useGuests(query)}>
      {({ guests, ...page }) =>
        guests.length === 0 ? (
          <Empty title={query.q ? t('No matching guests') : t('No guests yet')}>
            {query.q
              ? t('Try another e-mail address.')
              : t('People who order without an account appear here, by the e-mail of their orders.')}
          </Empty>
        ) : (
          <>
            <Rows guests={guests} />
            <Pager {...page} onPage={onPage} />
          </>
        )
      }
    </Loaded>
  );
}

/** States how many guests match the search, with a button that shows them instead of the customers. */
export function GuestHint({ q, enabled, onShow }: { q: string | undefined; enabled: boolean; onShow: () => void }) {
  const { number } = useFormat();
  const total = useGuests({ page: 1, limit: 1, ...(q && { q }) }, enabled).data?.total ?? 0;
  if (!enabled || total === 0) return null;
  return (
    <p className="guest-hint">
      {total === 1
        ? t('1 person has ordered as a guest.')
        : t('{count} people have ordered as guests.', { count: number(total) })}{' '}
      <button type="button" className="button quiet" onClick={onShow}>
        {t('Show the guests')}
      </button>
    </p>
  );
}

function Rows({ guests }: { guests: Guest[] }) {
  const format = useFormat();
  const columns: Column<Guest & { id: string }>[] = [
    {
      id: 'name',
      header: t('Guest'),
      cell: (guest) => <Link to={`/customers/guest?email=${encodeURIComponent(guest.email)}`}>{guestName(guest)}</Link>,
    },
    { id: 'email', header: t('E-mail'), cell: ({ email }) => email },
    { id: 'orders', header: t('Orders'), numeric: true, cell: ({ orders_count }) => format.number(orders_count) },
    { id: 'spent', header: t('Spent'), numeric: true, cell: ({ total_spent }) => format.money(total_spent) },
    {
      id: 'last',
      header: t('Last order'),
      short: true,
      wideOnly: true,
      cell: ({ last_order_at }) => format.date(last_order_at),
    },
  ];
  return (
    <div className="table-box">
      <DataTable
        caption={t('Guests')}
        columns={columns}
        rows={guests.map((guest) => ({ ...guest, id: guest.email }))}
      />
    </div>
  );
}

export function guestName({ first_name, last_name, email }: Guest): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email;
}
