import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useSearchState } from '../../ui/search-state.ts';

type Discount = Schemas['Discount'];

const statuses = ['active', 'scheduled', 'expired', 'exhausted', 'disabled'] as const;

export function Discounts() {
  const [params, change] = useSearchState();
  const writable = useCan()('discounts:write');
  const q = params.get('q');
  const status = statuses.find((each) => each === params.get('status'));
  const filters = {
    page: Math.max(1, Number(params.get('page')) || 1),
    limit: 20,
    ...(q && { q }),
    ...(status && { status }),
  };
  const query = useQuery({
    queryKey: ['discounts', filters],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/discounts', { params: { query: filters }, signal })),
    placeholderData: keepPreviousData,
  });
  const find = useCallback((text: string) => change({ q: text }), [change]);
  const add = writable && (
    <LinkButton to="/discounts/new" kind="primary">
      {t('Add a code')}
    </LinkButton>
  );
  return (
    <Page title={t('Discounts')} actions={add}>
      <search className="filters">
        <SearchField label={t('Search')} value={q ?? ''} onSearch={find} />
        <Select label={t('Status')} value={status ?? ''} onChange={(event) => change({ status: event.target.value })}>
          <option value="">{t('Any')}</option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {label(each)}
            </option>
          ))}
        </Select>
      </search>
      <Loaded query={query}>
        {({ discounts, ...page }) =>
          discounts.length === 0 ? (
            <Empty
              title={q || status ? t('No matching codes') : t('No codes yet')}
              action={
                !q && !status && writable && <LinkButton to="/discounts/new">{t('Add the first code')}</LinkButton>
              }
            >
              {t(
                'A code reduces the price by a percentage or an amount, or makes delivery free: for all or some products and collections, with optional dates and limits.',
              )}
            </Empty>
          ) : (
            <>
              <Rows discounts={discounts} />
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Rows({ discounts }: { discounts: Discount[] }) {
  const format = useFormat();
  const columns: Column<Discount>[] = [
    { id: 'code', header: t('Code'), cell: ({ id, code }) => <Link to={`/discounts/${id}`}>{code}</Link> },
    { id: 'takes', header: t('Takes off'), cell: (row) => takesOff(row, format.money) },
    {
      id: 'used',
      header: t('Used'),
      numeric: true,
      cell: ({ usage_count, usage_limit }) =>
        usage_limit === null ? usage_count : t('{usage_count} of {usage_limit}', { usage_count, usage_limit }),
    },
    {
      id: 'until',
      header: t('Until'),
      short: true,
      wideOnly: true,
      cell: ({ ends_at }) => (ends_at ? format.date(ends_at) : '—'),
    },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Discounts')} columns={columns} rows={discounts} />
    </div>
  );
}

function takesOff({ kind, value, currency }: Discount, money: (amount: string, of?: string) => string): string {
  if (kind === 'free_shipping') return t('Delivery');
  return kind === 'percentage' ? `${Number(value)} %` : money(value, currency);
}
