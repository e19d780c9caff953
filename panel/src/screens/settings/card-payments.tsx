import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, fieldError, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { Copyable } from '../../ui/secret.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

type Account = Schemas['PaymentAccount'];

/** The shop's Stripe account. Its keys can be set but are never shown. */
export function CardPayments() {
  const query = useQuery({
    queryKey: ['payment-account'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/payment-account', { signal })),
  });
  return (
    <Card title={t('Cards and wallets by Stripe')}>
      <Loaded query={query}>
        {(account) => (
          <>
            <Connection account={account} />
            <Keys account={account} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Connection({ account }: { account: Account }) {
  return (
    <dl className="facts">
      <dt>{t('Status')}</dt>
      <dd>
        {account.provider ? (
          <Badge value="active">{t('Connected')}</Badge>
        ) : (
          <Badge value="none">{t('Not connected')}</Badge>
        )}{' '}
        {account.mode === 'test' && <Badge value="pending">{t('Test mode')}</Badge>}
      </dd>
      <dt>{t('Webhook')}</dt>
      <dd>
        <p>{t('In Stripe, add an endpoint with this address, and enter its signing secret below.')}</p>
        <Copyable text={account.webhook_url} />
        {account.provider && !account.webhook_secret_set && (
          <p className="error">{t('The signing secret is missing.')}</p>
        )}
      </dd>
    </dl>
  );
}

function Keys({ account }: { account: Account }) {
  const [removing, setRemoving] = useState(false);
  const save = useMutation({
    mutationFn: (body: Inputs['PaymentAccountPatch']) => unwrap(api.PATCH('/api/dashboard/payment-account', { body })),
    onSuccess: async () => {
      await readAgain('payment-account', 'setup');
      toast(t('Saved.'));
    },
  });
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/dashboard/payment-account')),
    onSuccess: async () => {
      await readAgain('payment-account', 'setup');
      toast(t('Stripe is disconnected.'));
    },
    onError: toastError,
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const secret_key = String(form.get('secret_key')).trim();
    const webhook_secret = String(form.get('webhook_secret')).trim();
    const body = {
      capture: form.get('capture') === 'manual' ? 'manual' : 'automatic',
      ...(secret_key && { secret_key }),
      ...(webhook_secret && { webhook_secret }),
    } as const;
    // The form is reset only after success, so that a rejected save keeps the input.
    save.mutate(body, { onSuccess: () => element.reset() });
  }
  return (
    <Form busy={save.isPending} onSubmit={submit} autoComplete="off">
      <TextField
        label={t('Secret key')}
        name="secret_key"
        type="password"
        autoComplete="off"
        placeholder={account.provider ? t('Stored; enter another to replace it') : 'sk_live_…'}
        error={fieldError(save.error, 'secret_key')}
      />
      <TextField
        label={t('Signing secret of the webhook')}
        name="webhook_secret"
        type="password"
        autoComplete="off"
        placeholder={account.webhook_secret_set ? t('Stored; enter another to replace it') : 'whsec_…'}
        error={fieldError(save.error, 'webhook_secret')}
      />
      {/* Without this key, the select would keep its initial choice. */}
      <Select key={account.capture} label={t('Payment is captured')} name="capture" defaultValue={account.capture}>
        <option value="automatic">{t('when the order is placed')}</option>
        <option value="manual">{t('when the order is shipped, or by hand')}</option>
      </Select>
      <FormError error={save.error} />
      <footer>
        {account.provider && <Button onClick={() => setRemoving(true)}>{t('Disconnect')}</Button>}
        <Button type="submit" kind="primary" busy={save.isPending}>
          {t('Save keys')}
        </Button>
      </footer>
      <Confirm
        open={removing}
        onClose={() => setRemoving(false)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setRemoving(false) })}
        title={t('Disconnect Stripe?')}
        action={t('Disconnect')}
        busy={remove.isPending}
      >
        {t('Shoppers can then no longer pay by card. Refunds of card payments are not possible either.')}
      </Confirm>
    </Form>
  );
}
