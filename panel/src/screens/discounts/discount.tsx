import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, queryClient, type Schemas, versioned } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { DiscountForm } from './discount-form.tsx';

type Discount = Schemas['Discount'];

export function NewDiscount() {
  return (
    <Page title="New code" back={{ to: '/discounts', label: 'Discounts' }}>
      <Card>
        <DiscountForm discount={undefined} etag={undefined} />
      </Card>
    </Page>
  );
}

/** One code: what it does, and who has used it. */
export function DiscountScreen({ params }: { params: Record<string, string> }) {
  const discount_id = params.id ?? '';
  const query = useQuery({
    queryKey: ['discounts', discount_id],
    queryFn: ({ signal }) =>
      versioned(
        api.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id } }, signal }),
        unwrap,
      ),
  });
  return (
    <Loaded query={query}>
      {({ data: discount, etag }) => (
        <Page
          title={discount.code}
          back={{ to: '/discounts', label: 'Discounts' }}
          status={<Badge value={discount.status} />}
          actions={<Removal discount={discount} />}
        >
          <div className="columns">
            <Card>
              <DiscountForm key={discount.updated_at} discount={discount} etag={etag} />
            </Card>
            <Redemptions discountId={discount.id} />
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Removal({ discount }: { discount: Discount }) {
  const [open, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const writable = useCan()('discounts:write');
  const remove = useMutation({
    mutationFn: () => {
      const params = { path: { discount_id: discount.id } };
      return unwrap(api.DELETE('/api/dashboard/discounts/{discount_id}', { params }));
    },
    onSuccess: async () => {
      toast('Deleted.');
      navigate('/discounts');
      await queryClient.invalidateQueries({ queryKey: ['discounts'] });
    },
    onError: toastError,
  });
  if (!writable) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete</Button>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => remove.mutate()}
        title={`Delete ${discount.code}?`}
        action="Delete"
        busy={remove.isPending}
      >
        Nobody can use it any more. Orders that used it keep what it took off. To pause it, untick “Shoppers can use
        it”.
      </Confirm>
    </>
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
      header: 'Who',
      cell: ({ order_id, email }) =>
        order_id ? <Link to={`/orders/${order_id}`}>{email ?? 'Order'}</Link> : (email ?? 'A cart'),
    },
    { id: 'off', header: 'Off', numeric: true, cell: (row) => format.money(row.amount_off, row.currency) },
    { id: 'status', header: 'Status', cell: ({ status }) => <Badge value={status} /> },
  ];
  return (
    <Card title="Used by">
      <Loaded query={query}>
        {({ redemptions }) =>
          redemptions.length === 0 ? (
            <p>Nobody yet.</p>
          ) : (
            <DataTable caption="Redemptions" columns={columns} rows={redemptions} />
          )
        }
      </Loaded>
    </Card>
  );
}
