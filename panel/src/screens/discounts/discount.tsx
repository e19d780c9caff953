import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type Schemas, versioned } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { DiscountForm } from './discount-form.tsx';

type Discount = Schemas['Discount'];

export function NewDiscount() {
  return (
    <Page title={t('New code')} back={{ to: '/discounts', label: t('Discounts') }}>
      <Card>
        <DiscountForm discount={undefined} etag={undefined} />
      </Card>
    </Page>
  );
}

/** A discount code's terms and redemptions. */
export function DiscountScreen({ params }: { params: Record<string, string> }) {
  const discount_id = params.id ?? '';
  const can = useCan();
  const query = useQuery({
    queryKey: ['discounts', discount_id],
    queryFn: ({ signal }) =>
      versioned(
        api.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id } }, signal }),
        unwrap,
      ),
    // The form keeps the state with which it started. A newer state arrives as a conflict or after a save.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Loaded query={query}>
      {({ data: discount, etag }) => (
        <Page
          title={discount.code}
          back={{ to: '/discounts', label: t('Discounts') }}
          status={<Badge value={discount.status} />}
          actions={can('discounts:write') && <Delete discount={discount} />}
        >
          <div className="columns">
            <Card>
              <DiscountForm key={discount.id} discount={discount} etag={etag} />
            </Card>
            <Redemptions discountId={discount.id} />
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Delete({ discount: { id, code } }: { discount: Discount }) {
  const params = { path: { discount_id: id } };
  return (
    <DeleteButton
      name={code}
      list="/discounts"
      send={() => unwrap(api.DELETE('/api/dashboard/discounts/{discount_id}', { params }))}
      shownBy={['discounts']}
    >
      {t(
        'No one can use it any more. Orders that used it keep their discount. To pause it, clear “Shoppers can use it”.',
      )}
    </DeleteButton>
  );
}

function Redemptions({ discountId: discount_id }: { discountId: string }) {
  const format = useFormat();
  const query = useQuery({
    queryKey: ['discounts', discount_id, 'redemptions'],
    queryFn: ({ signal }) => {
      const params = { path: { discount_id }, query: { limit: 50 } };
      return unwrap(api.GET('/api/dashboard/discounts/{discount_id}/redemptions', { params, signal }));
    },
  });
  const columns: Column<Schemas['DiscountRedemption']>[] = [
    {
      id: 'who',
      header: t('Who'),
      cell: ({ order_id, email }) =>
        order_id ? <Link to={`/orders/${order_id}`}>{email ?? t('Order')}</Link> : (email ?? t('A cart')),
    },
    { id: 'off', header: t('Off'), numeric: true, cell: (row) => format.money(row.amount_off, row.currency) },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
  ];
  return (
    <Card title={t('Used by')}>
      <Loaded query={query}>
        {({ redemptions }) =>
          redemptions.length === 0 ? (
            <p>{t('Nobody yet.')}</p>
          ) : (
            <DataTable caption={t('Redemptions')} columns={columns} rows={redemptions} />
          )
        }
      </Loaded>
    </Card>
  );
}
