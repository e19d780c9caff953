import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from '../../api.ts';
import { type NumberTexts, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Select } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';

const SORTS = {
  newest: t('Newest first'),
  recently_updated: t('Last changed first'),
  oldest: t('Oldest first'),
  name_asc: t('Name, A to Z'),
  name_desc: t('Name, Z to A'),
  price_asc: t('Price, low to high'),
  price_desc: t('Price, high to low'),
} as const;

const MORE = ['vendor', 'product_type', 'tag', 'collection_id', 'price_min', 'price_max'];
const FILTERS = ['q', 'status', 'stock', ...MORE];

type Change = (changes: Record<string, string | undefined>) => void;

export function hasFilters(search: URLSearchParams): boolean {
  return FILTERS.some((name) => search.has(name));
}

/** Converts URL parameters to the API's query. Ignores parameters and values that the API does not have. */
export function productQuery(search: URLSearchParams, { read }: NumberTexts) {
  const text = (name: string) => search.get(name)?.slice(0, 200) || undefined;
  const amount = (name: string) => read(text(name) ?? '').amount;
  const one = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === search.get(name));
  const listed = (name: string) => {
    const value = text(name);
    return value ? [value] : undefined;
  };
  const page = Number(search.get('page'));
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    limit: 25,
    q: text('q'),
    status: one('status', ['draft', 'active', 'archived']),
    stock: one('stock', ['in', 'low', 'out']),
    vendor: listed('vendor'),
    product_type: listed('product_type'),
    tag: listed('tag'),
    collection_id: text('collection_id'),
    price_min: amount('price_min'),
    price_max: amount('price_max'),
    sort: one('sort', Object.keys(SORTS) as (keyof typeof SORTS)[]),
  };
}

export function ProductFilters({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
  const find = useCallback((q: string) => onChange({ q }), [onChange]);
  const choose = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  return (
    <div className="stack">
      <div className="filters">
        <SearchField
          label={t('Search')}
          placeholder={t('Name, SKU, vendor, tag')}
          value={search.get('q') ?? ''}
          onSearch={find}
        />
        <Select label={t('Status')} {...choose('status')}>
          <option value="">{t('Any')}</option>
          <option value="active">{t('Active')}</option>
          <option value="draft">{t('Draft')}</option>
          <option value="archived">{t('Archived')}</option>
        </Select>
        <Select label={t('Stock')} {...choose('stock')}>
          <option value="">{t('Any')}</option>
          <option value="in">{t('In stock')}</option>
          <option value="low">{t('Low')}</option>
          <option value="out">{t('Out of stock')}</option>
        </Select>
        <Select label={t('Sort')} {...choose('sort')}>
          <option value="">{search.get('q') ? t('Best match') : t('Newest first')}</option>
          {Object.entries(SORTS)
            .filter(([value]) => value !== 'newest' || search.get('q'))
            .map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
        </Select>
      </div>
      <MoreFilters search={search} onChange={onChange} />
    </div>
  );
}

function MoreFilters({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
  const set = MORE.filter((name) => search.has(name)).length;
  return (
    <details className="more-filters" open={set > 0 || undefined}>
      <summary>
        {t('More filters')}
        {set > 0 && ` (${set})`}
      </summary>
      <div className="filters">
        <Typed label={t('Vendor')} name="vendor" search={search} onChange={onChange} />
        <Typed label={t('Type')} name="product_type" search={search} onChange={onChange} />
        <Typed label={t('Tag')} name="tag" search={search} onChange={onChange} />
        <CollectionFilter
          value={search.get('collection_id') ?? ''}
          onChoose={(collection_id) => onChange({ collection_id })}
        />
        <Typed label={t('Price from')} name="price_min" search={search} onChange={onChange} amount />
        <Typed label={t('Price to')} name="price_max" search={search} onChange={onChange} amount />
      </div>
    </details>
  );
}

function Typed({
  label,
  name,
  search,
  onChange,
  amount = false,
}: {
  label: string;
  name: string;
  search: URLSearchParams;
  onChange: Change;
  amount?: boolean;
}) {
  const find = useCallback((value: string) => onChange({ [name]: value }), [name, onChange]);
  const value = search.get(name) ?? '';
  const { amounts } = useFormat();
  return (
    <SearchField
      label={label}
      value={value}
      onSearch={find}
      inputMode={amount ? 'decimal' : undefined}
      error={amount && value !== '' ? amounts.read(value).problem : undefined}
    />
  );
}

function CollectionFilter({ value, onChoose }: { value: string; onChoose: (id: string) => void }) {
  const collections = useQuery({
    queryKey: ['collections', 'choice'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/collections', { params: { query: { limit: 100 } }, signal })),
    staleTime: 60_000,
  });
  return (
    <Select label={t('Collection')} value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{t('Any')}</option>
      {collections.data?.collections.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </Select>
  );
}
