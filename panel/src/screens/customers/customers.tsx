import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { CustomerDialog } from './customer-dialog.tsx';
import { ExportCustomers } from './export-button.tsx';
import { GuestHint, GuestList } from './guest-list.tsx';
import { type CustomerQuery, GUESTS, guestQueryOf } from './queries.ts';

type Customer = Schemas['CustomerRecord'];

const sorts = [
  ['newest', t('Newest first')],
  ['oldest', t('Oldest first')],
  ['email_asc', t('E-mail, A to Z')],
  ['email_desc', t('E-mail, Z to A')],
] as const;

function guestSorts() {
  return [
    ['last_order', t('Last order first')],
    ['email_asc', t('E-mail, A to Z')],
    ['orders_desc', t('Most orders first')],
    ['spent_desc', t('Most spent first')],
  ] as const;
}

/** Lists customers with and without an account, or guests. */
export function Customers() {
  const [params, change] = useSearchState();
  const [creating, setCreating] = useState(false);
  const writable = useCan()('customers:write');
  const filters = queryOf(params);
  const guests = guestQueryOf(params);
  const query = useQuery({
    queryKey: ['customers', filters],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/customers', { params: { query: filters }, signal })),
    placeholderData: keepPreviousData,
    enabled: guests === undefined,
  });
  const filtered = filters.q !== undefined || filters.has_account !== undefined;
  const actions = (
    <>
      <ExportCustomers query={filters} guests={guests} />
      {writable && (
        <Button kind="primary" onClick={() => setCreating(true)}>
          {t('Add a customer')}
        </Button>
      )}
    </>
  );
  const toPage = (next: number) => change({ page: String(next) });
  return (
    <Page title={t('Customers')} actions={actions}>
      <Filters params={params} change={change} />
      <GuestHint
        q={filters.q}
        enabled={guests === undefined && filters.has_account === undefined}
        onShow={() => change({ has_account: GUESTS, sort: undefined })}
      />
      {guests ? (
        <GuestList query={guests} onPage={toPage} />
      ) : (
        <Loaded query={query}>
          {({ customers, ...page }) =>
            customers.length === 0 ? (
              <Empty title={filtered ? t('No matching customers') : t('No customers yet')}>
                {filtered
                  ? t('Try another name or e-mail address.')
                  : t('Customers appear here when they order or create an account.')}
              </Empty>
            ) : (
              <>
                <Rows customers={customers} sort={filters.sort ?? 'newest'} onSort={(sort) => change({ sort })} />
                <Pager {...page} onPage={toPage} />
              </>
            )
          }
        </Loaded>
      )}
      {creating && <CustomerDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function queryOf(params: URLSearchParams): CustomerQuery {
  const q = params.get('q') ?? undefined;
  const account = params.get('has_account');
  const sort = sorts.find(([value]) => value === params.get('sort'))?.[0];
  return {
    page: Math.max(1, Number(params.get('page')) || 1),
    limit: 20,
    ...(q && { q }),
    ...(account && account !== GUESTS && { has_account: account === 'true' }),
    ...(sort && { sort }),
  };
}

function Filters({
  params,
  change,
}: {
  params: URLSearchParams;
  change: (changes: Record<string, string | undefined>) => void;
}) {
  const find = useCallback((q: string) => change({ q }), [change]);
  return (
    <search className="filters">
      <SearchField
        label={t('Search')}
        placeholder={t('Name, e-mail, phone')}
        value={params.get('q') ?? ''}
        onSearch={find}
      />
      <Select
        label={t('Account')}
        value={params.get('has_account') ?? ''}
        onChange={(event) => change({ has_account: event.target.value, sort: undefined })}
      >
        <option value="">{t('Any')}</option>
        <option value="true">{t('With an account')}</option>
        <option value="false">{t('Without an account')}</option>
        <option value={GUESTS}>{t('Guests')}</option>
      </Select>
      <Select
        label={t('Sort')}
        value={params.get('sort') ?? ''}
        onChange={(event) => change({ sort: event.target.value })}
      >
        {(params.get('has_account') === GUESTS ? guestSorts() : sorts).map(([value, words]) => (
          <option key={value} value={value === 'newest' || value === 'last_order' ? '' : value}>
            {words}
          </option>
        ))}
      </Select>
    </search>
  );
}

function Rows({ customers, ...sorting }: { customers: Customer[]; sort: string; onSort: (sort: string) => void }) {
  const format = useFormat();
  const columns: Column<Customer>[] = [
    { id: 'name', header: t('Customer'), cell: (row) => <Link to={`/customers/${row.id}`}>{nameOf(row)}</Link> },
    { id: 'email', header: t('E-mail'), sort: { asc: 'email_asc', desc: 'email_desc' }, cell: ({ email }) => email },
    { id: 'orders', header: t('Orders'), numeric: true, cell: ({ orders_count }) => format.number(orders_count) },
    { id: 'spent', header: t('Spent'), numeric: true, cell: ({ total_spent }) => format.money(total_spent) },
    {
      id: 'since',
      header: t('Since'),
      short: true,
      wideOnly: true,
      sort: { asc: 'oldest', desc: 'newest' },
      cell: ({ created_at }) => format.date(created_at),
    },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Customers')} columns={columns} rows={customers} {...sorting} />
    </div>
  );
}

/** Returns the customer's name, otherwise the e-mail address. For an erased customer, returns a placeholder. */
export function nameOf({ first_name, last_name, email, anonymized_at }: Customer): string {
  if (anonymized_at) return t('Erased customer');
  return [first_name, last_name].filter(Boolean).join(' ') || email;
}
