import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { Pictured } from '../../ui/picture.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useSearchState } from '../../ui/search-state.ts';

export function Collections() {
  const [search, change] = useSearchState();
  const can = useCan();
  const page = Number(search.get('page'));
  const type = (['manual', 'automatic'] as const).find((each) => each === search.get('type'));
  const query = {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: 25,
    q: search.get('q')?.slice(0, 200) || undefined,
    type,
  };
  const collections = useQuery({
    queryKey: ['collections', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/collections', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
  const find = useCallback((q: string) => change({ q }), [change]);
  return (
    <Page
      title={t('Collections')}
      actions={
        can('products:write') && (
          <LinkButton to="/collections/new" kind="primary">
            {t('Add collection')}
          </LinkButton>
        )
      }
    >
      <div className="filters">
        <SearchField label={t('Search')} value={search.get('q') ?? ''} onSearch={find} />
        <Select label={t('Type')} value={type ?? ''} onChange={(event) => change({ type: event.target.value })}>
          <option value="">{t('Any')}</option>
          <option value="manual">{t('Chosen by hand')}</option>
          <option value="automatic">{t('By rules')}</option>
        </Select>
      </div>
      <Loaded query={collections}>
        {(found) =>
          found.total === 0 ? (
            <NoCollections filtered={query.q !== undefined || type !== undefined} />
          ) : (
            <>
              <List collections={found.collections} />
              <Pager {...found} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function List({ collections }: { collections: Schemas['CollectionSummary'][] }) {
  const { number } = useFormat();
  const columns = useMemo(
    (): Column<Schemas['CollectionSummary']>[] => [
      {
        id: 'title',
        header: t('Collection'),
        cell: ({ id, title, image_url }) => (
          <Pictured url={image_url}>
            <Link to={`/collections/${id}`}>{title}</Link>
          </Pictured>
        ),
      },
      {
        id: 'type',
        header: t('Products are'),
        cell: ({ type }) => (type === 'manual' ? t('chosen by hand') : t('found by rules')),
      },
      {
        id: 'count',
        header: t('Products'),
        numeric: true,
        cell: ({ products_count }) => number(products_count),
      },
      {
        id: 'published',
        header: t('Shown'),
        cell: ({ published }) => (
          <Badge value={published ? 'active' : 'hidden'}>{published ? t('In the shop') : t('Hidden')}</Badge>
        ),
      },
    ],
    [number],
  );
  return (
    <div className="table-box">
      <DataTable caption={t('Collections')} columns={columns} rows={collections} />
    </div>
  );
}

function NoCollections({ filtered }: { filtered: boolean }) {
  const can = useCan();
  if (filtered) {
    return (
      <Empty title={t('No matching collections')}>
        <p>{t('Try fewer words.')}</p>
      </Empty>
    );
  }
  return (
    <Empty
      title={t('No collections yet')}
      action={can('products:write') && <LinkButton to="/collections/new">{t('Add the first collection')}</LinkButton>}
    >
      <p>
        {t(
          'A collection is a part of your shop, such as “Gifts under 20” or “New in autumn”. Choose its products by hand, or define rules, and it updates itself automatically.',
        )}
      </p>
    </Empty>
  );
}
