import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { type Column, DataTable, Pager } from '../../ui/data-table.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { Pictured } from '../../ui/picture.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { BulkEditor } from './bulk/bulk-editor.tsx';
import { ExportProducts } from './export-button.tsx';
import { hasFilters, ProductFilters, productQuery } from './filters.tsx';
import './products.css';

export function Products() {
  const [search, change] = useSearchState();
  const can = useCan();
  const query = productQuery(search, useFormat().amounts);
  const [selected, setSelected] = useState<Selected>(new Map());
  const [editing, setEditing] = useState(false);
  const products = useQuery({
    queryKey: ['products', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/products', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
  const rows = new Map(products.data?.products.map((product) => [product.id, product]));
  const chosen = [...selected.values()].map((product) => rows.get(product.id) ?? product);
  if (editing) return <BulkEditor products={chosen} onClose={() => setEditing(false)} />;
  return (
    <Page
      title={t('Products')}
      actions={
        <>
          <ExportProducts query={query} />
          {can('products:write') && (
            <>
              <LinkButton to="/products/import">{t('Import')}</LinkButton>
              <LinkButton to="/products/new" kind="primary">
                {t('Add product')}
              </LinkButton>
            </>
          )}
        </>
      }
    >
      <ProductFilters search={search} onChange={change} />
      <Loaded query={products}>
        {(page) =>
          page.total === 0 ? (
            <NoProducts filtered={hasFilters(search)} onClear={() => change(cleared(search))} />
          ) : (
            <>
              <List
                products={page.products}
                selected={selected}
                onSelect={can('products:write') ? setSelected : undefined}
                sort={query.sort ?? (query.q ? 'relevance' : 'newest')}
                onSort={(sort) => change({ sort })}
              />
              <Pager {...page} onPage={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
      {chosen.length > 0 && (
        <BulkBar
          products={chosen}
          total={products.data?.total ?? 0}
          query={query}
          onSelect={(all) => setSelected(new Map(all.map((product) => [product.id, product])))}
          onEdit={() => setEditing(true)}
          onDone={() => setSelected(new Map())}
        />
      )}
    </Page>
  );
}

/** The selected products on all pages. */
type Selected = ReadonlyMap<string, Schemas['Product']>;

function List({
  products,
  selected,
  onSelect,
  ...sorting
}: {
  products: Schemas['Product'][];
  selected: Selected;
  onSelect: ((selected: Selected) => void) | undefined;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const { money, counted } = useFormat();
  const columns = useMemo(
    (): Column<Schemas['Product']>[] => [
      {
        id: 'name',
        header: t('Product'),
        sort: { asc: 'name_asc', desc: 'name_desc' },
        cell: (product) => (
          <Pictured url={product.images[0]?.url}>
            <Link to={`/products/${product.id}`}>{product.name}</Link>
            {product.has_variants && (
              <span className="hint second-line">
                {counted(product.variants.length, '{count} variant', '{count} variants')}
              </span>
            )}
          </Pictured>
        ),
      },
      { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
      { id: 'stock', header: t('Stock'), numeric: true, cell: (product) => <Stock product={product} /> },
      {
        id: 'price',
        header: t('Price'),
        numeric: true,
        sort: { asc: 'price_asc', desc: 'price_desc' },
        cell: (product) => priceOf(product, money),
      },
      { id: 'vendor', header: t('Vendor'), wideOnly: true, cell: ({ vendor }) => vendor ?? '' },
      { id: 'type', header: t('Type'), wideOnly: true, cell: ({ product_type }) => product_type ?? '' },
    ],
    [money, counted],
  );
  const names = new Map(products.map(({ id, name }) => [id, name]));
  const selection = onSelect && {
    selected: Object.fromEntries([...selected.keys()].map((id) => [id, true as const])),
    onSelect: (next: Record<string, boolean>) => {
      const known = new Map([...selected.values(), ...products].map((product) => [product.id, product]));
      onSelect(new Map([...known].filter(([id]) => next[id])));
    },
    label: (id: string) => t('Select {name}', { name: names.get(id) ?? '' }),
  };
  return (
    <div className="table-box">
      <DataTable
        caption={t('Products')}
        columns={columns}
        rows={products}
        {...sorting}
        {...(selection && { selection })}
      />
    </div>
  );
}

function Stock({ product }: { product: Schemas['Product'] }) {
  const { number } = useFormat();
  if (!product.track_inventory) return <span className="quiet-text">{t('not counted')}</span>;
  if (!product.in_stock) return <Badge value="out_of_stock" />;
  const low = product.variants.some(({ is_low_stock }) => is_low_stock);
  return (
    <span className="stock-level">
      {low && <Badge value="low_stock">{t('Low')}</Badge>} {number(product.total_inventory)}
    </span>
  );
}

function priceOf({ price, variants }: Schemas['Product'], money: (amount: string) => string): string {
  return variants.some((variant) => variant.price !== price)
    ? t('from {price}', { price: money(price) })
    : money(price);
}

function NoProducts({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const can = useCan();
  if (filtered) {
    return (
      <Empty
        title={t('No matching products')}
        action={
          <button type="button" className="button plain" onClick={onClear}>
            {t('Clear the filters')}
          </button>
        }
      >
        <p>{t('Try fewer words, or another filter.')}</p>
      </Empty>
    );
  }
  return (
    <Empty
      title={t('No products yet')}
      action={can('products:write') && <LinkButton to="/products/new">{t('Add the first product')}</LinkButton>}
    >
      <p>
        {t(
          'A product is what customers find in your shop: its name, pictures and prices, in as many sizes and colours as there are. If you come from Shopify, WooCommerce or Magento, import the CSV that it exports.',
        )}
      </p>
    </Empty>
  );
}

function cleared(search: URLSearchParams): Record<string, undefined> {
  return Object.fromEntries([...search.keys()].map((name) => [name, undefined]));
}
