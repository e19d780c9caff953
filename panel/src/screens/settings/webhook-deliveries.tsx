import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

type Delivery = Schemas['WebhookDelivery'];

/** Deliveries of a webhook with their responses. Each delivery can be replayed. */
export function WebhookDeliveries({ webhookId }: { webhookId: string }) {
  const [shown, setShown] = useState<string>();
  const query = useInfiniteQuery({
    queryKey: ['webhook-deliveries', webhookId],
    queryFn: ({ pageParam, signal }) => {
      const query = { webhook_id: webhookId, limit: 20, ...(pageParam && { cursor: pageParam }) };
      return unwrap(api.GET('/api/dashboard/webhook-deliveries', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  return (
    <Card title={t('Deliveries')}>
      <Loaded query={query}>
        {({ pages }) => <Rows deliveries={pages.flatMap(({ deliveries }) => deliveries)} onShow={setShown} />}
      </Loaded>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      )}
      {shown && <Details deliveryId={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

function Rows({ deliveries, onShow }: { deliveries: Delivery[]; onShow: (id: string) => void }) {
  const format = useFormat();
  if (deliveries.length === 0) return <p>{t('Nothing has been sent yet. “Send a ping” tests the receiver.')}</p>;
  const columns: Column<Delivery>[] = [
    { id: 'type', header: t('Event'), cell: ({ type }) => type },
    { id: 'time', header: t('At'), short: true, cell: ({ created_at }) => format.time(created_at) },
    { id: 'answer', header: t('Answer'), cell: ({ response_status }) => response_status ?? '—' },
    { id: 'attempts', header: t('Attempts'), numeric: true, wideOnly: true, cell: (row) => row.attempts_count },
    { id: 'status', header: t('Status'), cell: ({ status }) => <Badge value={status} /> },
    {
      id: 'actions',
      header: t('Actions'),
      cell: ({ id, type }) => (
        <Button kind="quiet" aria-label={t('Show {type}', { type })} onClick={() => onShow(id)}>
          {t('Show')}
        </Button>
      ),
    },
  ];
  return <DataTable caption={t('Deliveries')} columns={columns} rows={deliveries} />;
}

function Details({ deliveryId: delivery_id, onClose }: { deliveryId: string; onClose: () => void }) {
  const format = useFormat();
  const params = { path: { delivery_id } };
  const writable = useCan()('webhooks:write');
  const query = useQuery({
    queryKey: ['webhook-deliveries', 'one', delivery_id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params, signal })),
  });
  const replay = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', { params })),
    onSuccess: async () => {
      await readAgain('webhook-deliveries');
      toast(t('It is sent again.'));
    },
    onError: toastError,
  });
  return (
    <Dialog open onClose={onClose} title={t('Webhook delivery')} wide>
      <Loaded query={query}>
        {(delivery) => (
          <>
            <ol className="stack">
              {delivery.attempts.map((attempt) => (
                <li key={attempt.attempted_at}>
                  <p>
                    {format.time(attempt.attempted_at)}: {label(attempt.outcome)}
                    {attempt.response_status !== null && `, ${attempt.response_status}`}{' '}
                    {t('in {duration_ms} ms', { duration_ms: attempt.duration_ms })}
                  </p>
                  {attempt.response_body && <pre>{attempt.response_body}</pre>}
                </li>
              ))}
            </ol>
            {delivery.status === 'pending' && (
              <p className="quiet-text">
                {delivery.next_attempt_at
                  ? t('Next automatic attempt: {next_attempt_at}.', {
                      next_attempt_at: format.time(delivery.next_attempt_at),
                    })
                  : t('It is on its way.')}
              </p>
            )}
            <h3>{t('Sent payload')}</h3>
            <pre>{JSON.stringify(delivery.payload, null, 2)}</pre>
          </>
        )}
      </Loaded>
      <footer>
        <Button onClick={onClose}>{t('Close')}</Button>
        {writable && (
          <Button
            kind="primary"
            busy={replay.isPending}
            disabled={query.data?.status === 'pending'}
            onClick={() => replay.mutate(undefined, { onSuccess: onClose })}
          >
            {t('Send again')}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}
