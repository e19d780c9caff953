import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Held } from '../../ui/held.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { Changes, type StockItem, useChanges } from './changes.tsx';
import { Movements } from './movements.tsx';
import { StockGrid } from './stock-grid.tsx';
import './stock.css';
import { t } from '../../language/texts.ts';

const LEVELS = { low: t('Low'), out: t('Out of stock'), short: t('Low or out of stock') } as const;

export function Stock() {
  const [search, change] = useSearchState();
  const can = useCan();
  const query = stockQuery(search);
  const stock = useQuery({
    queryKey: ['inventory', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/inventory', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
  const changes = useChanges();
  const [shown, setShown] = useState<StockItem>();
  return (
    <Page title={t('Stock')}>
      <UnsavedGuard dirty={changes.rows.length > 0} />
      <Filters search={search} onChange={change} />
      <Loaded query={stock}>
        {(page) =>
          page.total === 0 ? (
            <NoStock filtered={search.has('q') || search.has('level')} />
          ) : (
            <>
              <Held busy={changes.saving}>
                <StockGrid
                  items={page.inventory}
                  changes={changes}
                  canEdit={can('inventory:write')}
                  onMovements={setShown}
                />
              </Held>
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
      <Changes changes={changes} />
      <Movements item={shown} onClose={() => setShown(undefined)} />
    </Page>
  );
}

function stockQuery(search: URLSearchParams) {
  const level = search.get('level');
  const page = Number(search.get('page'));
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: 50,
    q: search.get('q')?.slice(0, 200) || undefined,
    low_stock: level === 'low' || level === 'short' || undefined,
    out_of_stock: level === 'out' || level === 'short' || undefined,
  };
}

function Filters({
  search,
  onChange,
}: {
  search: URLSearchParams;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const find = useCallback((q: string) => onChange({ q }), [onChange]);
  return (
    <div className="filters">
      <SearchField
        label={t('Search')}
        placeholder={t('Name, SKU or barcode')}
        value={search.get('q') ?? ''}
        onSearch={find}
      />
      <Select
        label={t('Show')}
        value={search.get('level') ?? ''}
        onChange={(event) => onChange({ level: event.target.value })}
      >
        <option value="">{t('All variants')}</option>
        {Object.entries(LEVELS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
}

function NoStock({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty title={t('Nothing here')}>
        <p>{t('No variant matches: none is low on stock, or the search uses other words than your products.')}</p>
      </Empty>
    );
  }
  return (
    <Empty title={t('No stock yet')} action={<LinkButton to="/products/new">{t('Add a product')}</LinkButton>}>
      <p>{t('Each product, or each of its sizes and colours, is listed here with its available quantity.')}</p>
    </Empty>
  );
}
