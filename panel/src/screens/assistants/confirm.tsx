import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, queryClient, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Card, Facts, Loaded, Page } from '../../ui/page.tsx';
import { toastError } from '../../ui/toasts.tsx';

type Action = Schemas['AssistantAction'];

const STATES: Record<string, string> = {
  pending: t('Waits for you. Nothing has changed yet.'),
  running: t('Is running. If this stays so for three minutes, confirm again: it happens only once.'),
  done: t('Confirmed and done.'),
  failed: t('Confirmed, but it was not possible.'),
  declined: t('Declined. Nothing has changed.'),
  expired: t('Expired after 15 minutes. Nothing has changed. Let the assistant ask again.'),
};

/** A change that an assistant requests. Only the staff member who connected the assistant can confirm or decline it. */
export function ConfirmChange({ params }: { params: Record<string, string> }) {
  const action_id = params.action_id ?? '';
  const query = useQuery({
    queryKey: ['assistant-actions', action_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/assistant-actions/{action_id}', { params: { path: { action_id } }, signal })),
  });
  return (
    <Page title={t('Confirm a change')}>
      <Loaded query={query}>{(action) => <Change action={action} />}</Loaded>
    </Page>
  );
}

const columns: Column<Action['changes'][number]>[] = [
  { id: 'field', header: t('Field'), cell: ({ field }) => label(field.replaceAll('.', ' ')) },
  { id: 'before', header: t('Now'), cell: ({ before }) => before ?? '' },
  { id: 'after', header: t('Will be sent'), cell: ({ after }) => after || t('Empty') },
];

function Change({ action }: { action: Action }) {
  const { merchant } = useMe();
  const format = useFormat();
  const path = { action_id: action.id };
  const settled = {
    onSuccess: () => void queryClient.invalidateQueries(),
    onError: (error: unknown) => {
      toastError(error);
      void queryClient.invalidateQueries({ queryKey: ['assistant-actions'] });
    },
  };
  const confirm = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/assistant-actions/{action_id}/confirm', { params: { path } })),
    ...settled,
  });
  const decline = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/assistant-actions/{action_id}/decline', { params: { path } })),
    ...settled,
  });
  return (
    <Card title={action.title}>
      <Facts
        facts={[
          [t('For'), action.target],
          [t('Shop'), merchant.name],
          [t('Asked by'), action.assistant_name],
          [t('Until'), action.status === 'pending' ? format.time(action.expires_at) : ''],
          [t('State'), STATES[action.status] ?? action.status],
        ]}
      />
      <DataTable
        caption={t('Values of the change')}
        columns={columns}
        rows={action.changes.map((change) => ({ id: change.field, ...change }))}
      />
      <FormError error={action.result?.message} />
      {(action.status === 'pending' || action.status === 'running') && (
        <div className="actions">
          {action.status === 'pending' && (
            <Button busy={decline.isPending} disabled={confirm.isPending} onClick={() => decline.mutate()}>
              {t('Decline')}
            </Button>
          )}
          <Button kind="primary" busy={confirm.isPending} disabled={decline.isPending} onClick={() => confirm.mutate()}>
            {t('Confirm')}
          </Button>
        </div>
      )}
    </Card>
  );
}
