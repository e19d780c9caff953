import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import './settings.css';
import { t } from '../../language/texts.ts';

type Webhook = Schemas['Webhook'];

/** A webhook's events and deliveries, with buttons to send a ping and to replace its secret. */
export function WebhookScreen({ params }: { params: Record<string, string> }) {
  const webhook_id = params.id ?? '';
  const query = useQuery({
    queryKey: ['webhooks', webhook_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/webhooks/{webhook_id}', { params: { path: { webhook_id } }, signal })),
  });
  return (
    <Loaded query={query}>
      {(webhook) => (
        <Page
          title={webhook.description || webhook.url}
          back={{ to: '/settings/webhooks', label: t('Webhooks') }}
          status={<Badge value={webhook.status} />}
        >
          <Facts webhook={webhook} />
          <WebhookDeliveries webhookId={webhook.id} />
        </Page>
      )}
    </Loaded>
  );
}

const reasons: Record<string, string> = {
  staff: t('Switched off by staff.'),
  gone: t('Switched off since the receiver answered that it is gone (410).'),
  failing: t('Switched off after days of failed deliveries.'),
};

function Facts({ webhook }: { webhook: Webhook }) {
  const format = useFormat();
  const writable = useCan()('webhooks:write');
  return (
    <Card title={t('Receiver')}>
      <dl className="facts">
        <dt>{t('Address')}</dt>
        <dd>{webhook.url}</dd>
        <dt>{t('Events')}</dt>
        <dd>{webhook.events.join(', ')}</dd>
        {webhook.failing_since && (
          <>
            <dt>{t('Failing since')}</dt>
            <dd>{format.time(webhook.failing_since)}</dd>
          </>
        )}
      </dl>
      {webhook.disabled_reason && (
        <p className="error">{reasons[webhook.disabled_reason] ?? webhook.disabled_reason}</p>
      )}
      {writable && <Acts webhook={webhook} />}
    </Card>
  );
}

function Acts({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<'edit' | 'rotate'>();
  const [secret, setSecret] = useState<string>();
  const params = { path: { webhook_id: webhook.id } };
  const ping = useAct(
    () => unwrap(api.POST('/api/dashboard/webhooks/{webhook_id}/test', { params })),
    ({ response_status }) =>
      toast(
        response_status
          ? t('The receiver answered {response_status}.', { response_status })
          : t('The receiver did not answer.'),
      ),
  );
  const patch = useAct(
    (status: Inputs['WebhookStatus']) =>
      unwrap(api.PATCH('/api/dashboard/webhooks/{webhook_id}', { params, body: { status } })),
    ({ status }) => toast(status === 'active' ? t('Switched on.') : t('Switched off.')),
  );
  const rotate = useAct(
    () => unwrap(api.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params })),
    (made) => {
      setOpen(undefined);
      setSecret(made.secret);
    },
  );
  const active = webhook.status === 'active';
  return (
    <div className="actions">
      <Button busy={ping.isPending} disabled={!active} onClick={() => ping.mutate(undefined)}>
        {t('Send a ping')}
      </Button>
      <Button onClick={() => setOpen('edit')}>{t('Change')}</Button>
      <Button busy={patch.isPending} onClick={() => patch.mutate(active ? 'disabled' : 'active')}>
        {active ? t('Switch off') : t('Switch on')}
      </Button>
      <Button onClick={() => setOpen('rotate')}>{t('New secret')}</Button>
      <DeleteButton
        name={webhook.description || webhook.url}
        list="/settings/webhooks"
        send={() => unwrap(api.DELETE('/api/dashboard/webhooks/{webhook_id}', { params }))}
        shownBy={['webhooks', 'webhook-deliveries']}
      >
        {t('Nothing more is sent there, and its delivery log is deleted.')}
      </DeleteButton>
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setOpen(undefined)} onSecret={setSecret} />}
      <Confirm
        open={open === 'rotate'}
        onClose={() => setOpen(undefined)}
        onConfirm={() => rotate.mutate(undefined)}
        title={t('Make a new secret?')}
        action={t('Make a new secret')}
        busy={rotate.isPending}
        danger={false}
      >
        {t('For 24 hours messages are signed with both, so that the receiver can be changed.')}
      </Confirm>
      <SecretDialog
        title={t('The new secret')}
        note={t('With it the receiver checks that a message comes from this shop.')}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </div>
  );
}

/** Runs a call on the webhook, refetches the webhook and its deliveries, then shows the result or the error. */
function useAct<Input, Answer>(send: (input: Input) => Promise<Answer>, done: (answer: Answer) => void) {
  return useMutation({
    mutationFn: send,
    onSuccess: async (answer) => {
      await readAgain('webhooks', 'webhook-deliveries');
      done(answer);
    },
    onError: toastError,
  });
}
