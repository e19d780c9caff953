import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { countryName } from '../../ui/countries.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { CustomerDialog } from './customer-dialog.tsx';
import { nameOf } from './customers.tsx';
import { OrdersCard } from './orders-card.tsx';

type Customer = Schemas['CustomerDetails'];

/** A customer's contact data, addresses and orders, with a button to erase the customer. */
export function CustomerScreen({ params }: { params: Record<string, string> }) {
  const customer_id = params.id ?? '';
  const query = useQuery({
    queryKey: ['customers', customer_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } }, signal })),
  });
  return (
    <Loaded query={query}>
      {(customer) => (
        <Page
          title={nameOf(customer)}
          back={{ to: '/customers', label: t('Customers') }}
          status={customer.anonymized_at && <Badge value="cancelled">{t('Erased')}</Badge>}
          actions={!customer.anonymized_at && <Acts customer={customer} />}
        >
          <div className="columns">
            <Orders customerId={customer.id} />
            <div className="stack">
              <Contact customer={customer} />
              <Addresses customer={customer} />
            </div>
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Acts({ customer }: { customer: Customer }) {
  const [open, setOpen] = useState<'edit' | 'erase'>();
  const writable = useCan()('customers:write');
  const erase = useMutation({
    mutationFn: () => {
      const params = { path: { customer_id: customer.id } };
      return unwrap(api.POST('/api/dashboard/customers/{customer_id}/anonymize', { params }));
    },
    onSuccess: async () => {
      await readAgain('customers', 'orders', 'agents');
      toast(t('The personal data is erased.'));
    },
    onError: toastError,
  });
  if (!writable) return null;
  return (
    <>
      <Button onClick={() => setOpen('edit')}>{t('Change')}</Button>
      <Button onClick={() => setOpen('erase')}>{t('Erase personal data')}</Button>
      {open === 'edit' && <CustomerDialog customer={customer} onClose={() => setOpen(undefined)} />}
      <Confirm
        open={open === 'erase'}
        onClose={() => setOpen(undefined)}
        onConfirm={() => erase.mutate(undefined, { onSuccess: () => setOpen(undefined) })}
        title={t('Erase the personal data of {nameOf}?', { nameOf: nameOf(customer) })}
        action={t('Erase')}
        busy={erase.isPending}
      >
        {t(
          'Name, e-mail, phone and addresses are removed here and in the orders; the amounts stay for accounting. The account is closed and its agents lose access. This cannot be undone.',
        )}
      </Confirm>
    </>
  );
}

function Contact({ customer }: { customer: Customer }) {
  const format = useFormat();
  return (
    <Card title={t('Contact')}>
      <dl className="facts">
        <dt>{t('E-mail')}</dt>
        <dd>{customer.email}</dd>
        {customer.pending_email !== null && (
          <>
            <dt>{t('New e-mail, not yet confirmed')}</dt>
            <dd>{customer.pending_email}</dd>
          </>
        )}
        <dt>{t('Phone')}</dt>
        <dd>{customer.phone ?? '—'}</dd>
        <dt>{t('Account')}</dt>
        <dd>{customer.has_account ? 'yes' : 'no'}</dd>
        <dt>{t('Since')}</dt>
        <dd>{format.date(customer.created_at)}</dd>
        <dt>{t('Spent')}</dt>
        <dd>
          {t('{total_spent} in {count}', {
            total_spent: format.money(customer.total_spent),
            count: format.counted(customer.orders_count, '{count} order', '{count} orders'),
          })}
        </dd>
        {customer.payment_terms_days !== null && (
          <>
            <dt>{t('Pays by invoice')}</dt>
            <dd>
              {t('within {count}', {
                count: format.counted(customer.payment_terms_days, '{count} day', '{count} days'),
              })}
              {customer.credit_limit !== null &&
                t(', up to {credit_limit}', { credit_limit: format.money(customer.credit_limit) })}
            </dd>
          </>
        )}
        <dt>{t('Marketing e-mails')}</dt>
        <dd>{customer.marketing_opt_in ? t('agreed') : t('not agreed')}</dd>
      </dl>
      {customer.note && <p className="note">{customer.note}</p>}
    </Card>
  );
}

function Addresses({ customer: { addresses } }: { customer: Customer }) {
  return (
    <Card title={t('Addresses')}>
      {addresses.length === 0 && <p>{t('None saved.')}</p>}
      <ul className="stack">
        {addresses.map((address) => (
          <li key={address.id}>
            <address>
              {linesOf(address).map((line) => (
                <div key={line}>{line}</div>
              ))}
            </address>
            {address.is_default && <Badge value="default" />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function linesOf(address: Schemas['Address']): string[] {
  const join = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  return [
    join(address.first_name, address.last_name),
    address.company ?? '',
    address.address1 ?? '',
    address.address2 ?? '',
    join(address.postal_code, address.city, address.state),
    address.country ? countryName(address.country) : '',
  ].filter(Boolean);
}

function Orders({ customerId: customer_id }: { customerId: string }) {
  const read = (page: number, signal: AbortSignal) => {
    const params = { path: { customer_id }, query: { page, limit: 10 } };
    return unwrap(api.GET('/api/dashboard/customers/{customer_id}/orders', { params, signal }));
  };
  return <OrdersCard of={['of-customer', customer_id]} read={read} />;
}
