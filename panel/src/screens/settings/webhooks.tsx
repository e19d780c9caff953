import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Empty, Loaded } from '../../ui/page.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

type Webhook = Schemas['Webhook'];

export function WebhookSettings() {
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const writable = useCan()('webhooks:write');
  const query = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/webhooks', { signal })),
  });
  const add = writable && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      {t('Add a webhook')}
    </Button>
  );
  return (
    <>
      <Loaded query={query}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title={t('No webhooks yet')} action={add}>
              {t(
                'A webhook sends events, such as a paid order, to an address of yours: an accounting system, a warehouse or a chat.',
              )}
            </Empty>
          ) : (
            <Card title={t('Webhooks')} actions={add}>
              <Rows webhooks={webhooks} />
            </Card>
          )
        }
      </Loaded>
      {creating && <WebhookDialog onClose={() => setCreating(false)} onSecret={setSecret} />}
      <SecretDialog
        title={t('The secret of the webhook')}
        note={t('With it the receiver checks that a message comes from this shop.')}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

/** Event types of a webhook, and the types that are withheld because the webhook's creator may not read them. */
function Events({ events, withheld_events }: Webhook) {
  if (withheld_events.length === 0) return events.join(', ');
  return (
    <>
      {events.join(', ')}
      <br />
      {t('Not sent: {withheld_events}. The person who set up this webhook may not read them.', {
        withheld_events: withheld_events.join(', '),
      })}
    </>
  );
}

function Rows({ webhooks }: { webhooks: Webhook[] }) {
  const format = useFormat();
  const columns: Column<Webhook>[] = [
    {
      id: 'url',
      header: t('Address'),
      cell: ({ id, url }) => (
        <Link className="web-address" to={`/settings/webhooks/${id}`}>
          {url}
        </Link>
      ),
    },
    { id: 'events', header: t('Events'), cell: (webhook) => <Events {...webhook} /> },
    {
      id: 'last',
      header: t('Last success'),
      wideOnly: true,
      cell: ({ last_success_at }) => (last_success_at ? format.time(last_success_at) : t('never')),
    },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
  ];
  return <DataTable caption={t('Webhooks')} columns={columns} rows={webhooks} />;
}
