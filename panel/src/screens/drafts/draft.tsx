import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Card, Facts, Loaded, Page } from '../../ui/page.tsx';
import { addressLines } from '../orders/texts.ts';
import { type Draft, useDraft, useDraftAct } from './draft-queries.ts';

const BACK = { to: '/drafts', label: t('Drafts') };

/** A draft order with its lines, its totals and its actions. */
export function DraftScreen({ params }: { params: Record<string, string> }) {
  const query = useDraft(params.draft_order_id ?? '');
  const draft = query.data;
  if (!draft) {
    return (
      <Page title={t('Draft')} back={BACK}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return (
    <Page
      title={t('Draft for {email}', { email: draft.email ?? t('a customer without e-mail') })}
      back={BACK}
      status={<Badge value={draft.status} />}
      actions={<Actions draft={draft} />}
    >
      <div className="columns">
        <div className="stack">
          <Lines draft={draft} />
        </div>
        <div className="stack">
          <About draft={draft} />
        </div>
      </div>
    </Page>
  );
}

function Lines({ draft: { lines, currency } }: { draft: Draft }) {
  const { money } = useFormat();
  const columns: Column<Draft['lines'][number]>[] = [
    {
      id: 'item',
      header: t('Item'),
      cell: ({ name, variant_name, available }) => (
        <>
          {variant_name ? `${name}, ${variant_name}` : name} {!available && <Badge value="out_of_stock" />}
        </>
      ),
    },
    { id: 'quantity', header: t('Quantity'), numeric: true, cell: ({ quantity }) => quantity },
    { id: 'price', header: t('Price'), numeric: true, cell: ({ price }) => money(price, currency) },
    { id: 'total', header: t('Total'), numeric: true, cell: ({ total }) => money(total, currency) },
  ];
  return (
    <Card title={t('Items')}>
      <DataTable caption={t('Items')} columns={columns} rows={lines} />
    </Card>
  );
}

function About({ draft }: { draft: Draft }) {
  const { money, time } = useFormat();
  const { currency, discount, discount_amount, shipping_cost, total, sent_at, checkout_url, shipping_address } = draft;
  return (
    <Card title={t('Offer')}>
      <Facts
        facts={[
          [t('Discount'), discount && [money(discount_amount, currency), discount.reason].filter(Boolean).join(', ')],
          [t('Delivery'), money(shipping_cost, currency)],
          [t('Total'), money(total, currency)],
          [t('Valid until'), time(draft.expires_at)],
          [t('Sent'), sent_at && time(sent_at)],
          [t('Stock'), draft.reserve ? t('Reserved once it is sent') : null],
          [t('Address'), shipping_address && addressLines(shipping_address).join(', ')],
          [t('Note'), draft.note],
          [t('Link'), checkout_url && <a href={checkout_url}>{t('Checkout page')}</a>],
          [t('Order'), draft.order_id && <Link to={`/orders/${draft.order_id}`}>{draft.order_number}</Link>],
        ]}
      />
    </Card>
  );
}

const PAYMENTS = {
  bank_transfer: t('Bank transfer'),
  manual: t('On delivery or pickup'),
  invoice: t('Invoice'),
} as const;

function Actions({ draft: { id, status, email } }: { draft: Draft }) {
  const can = useCan();
  const [open, setOpen] = useState<'send' | 'complete' | 'cancel'>();
  const [payment_method, setMethod] = useState<keyof typeof PAYMENTS>('invoice');
  const close = () => setOpen(undefined);
  const params = { path: { draft_order_id: id } };
  const send = useDraftAct(
    () => unwrap(api.POST('/api/dashboard/draft-orders/{draft_order_id}/send', { params })),
    t('The draft is sent.'),
    close,
  );
  const cancel = useDraftAct(
    () => unwrap(api.POST('/api/dashboard/draft-orders/{draft_order_id}/cancel', { params })),
    t('The draft is cancelled.'),
    close,
  );
  const complete = useDraftAct(
    () =>
      unwrap(api.POST('/api/dashboard/draft-orders/{draft_order_id}/complete', { params, body: { payment_method } })),
    t('The draft is now an order.'),
    close,
  );
  if (status !== 'open' && status !== 'sent') return null;
  return (
    <>
      {can('orders:write') && (
        <Button kind="primary" onClick={() => setOpen('send')}>
          {status === 'open' ? t('Send') : t('Send again')}
        </Button>
      )}
      {can('orders:payments') && <Button onClick={() => setOpen('complete')}>{t('Make it an order')}</Button>}
      {can('orders:write') && <Button onClick={() => setOpen('cancel')}>{t('Cancel draft')}</Button>}
      <Confirm
        open={open === 'send'}
        onClose={close}
        onConfirm={() => send.mutate()}
        title={t('Send the draft?')}
        action={t('Send')}
        busy={send.isPending}
        danger={false}
      >
        <p>
          {t('{email} gets a link to check the order and to accept it with these prices.', {
            email: email ?? t('The customer'),
          })}
        </p>
      </Confirm>
      <Confirm
        open={open === 'complete'}
        onClose={close}
        onConfirm={() => complete.mutate()}
        title={t('Make it an order?')}
        action={t('Make it an order')}
        busy={complete.isPending}
        danger={false}
      >
        <Select
          label={t('Payment method')}
          value={payment_method}
          onChange={({ target }) => setMethod(target.value as keyof typeof PAYMENTS)}
        >
          {Object.entries(PAYMENTS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <p>{t('An invoice needs payment terms of the customer.')}</p>
      </Confirm>
      <Confirm
        open={open === 'cancel'}
        onClose={close}
        onConfirm={() => cancel.mutate()}
        title={t('Cancel the draft?')}
        action={t('Cancel draft')}
        busy={cancel.isPending}
      >
        <p>{t('The link no longer works, and reserved stock is released.')}</p>
      </Confirm>
    </>
  );
}
