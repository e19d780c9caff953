import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { clientInWords, scopeInWords } from './words.ts';

/** The user's connected assistants, or the assistants of all staff if the user manages the staff. */
export function ConnectedAssistants() {
  const query = useQuery({
    queryKey: ['assistants'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/assistants', { signal })),
  });
  return (
    <Card title={t('Connected assistants')}>
      <Loaded query={query}>
        {({ assistants }) =>
          assistants.length === 0 ? (
            <p className="quiet-text">
              {t('None. An assistant connects when you enter {origin}/mcp/merchant in its program.', {
                origin: window.location.origin,
              })}
            </p>
          ) : (
            <Assistants assistants={assistants} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Assistants({ assistants }: { assistants: Schemas['Assistant'][] }) {
  const format = useFormat();
  const revoke = useMutation({
    mutationFn: (assistant_id: string) =>
      unwrap(api.DELETE('/api/dashboard/assistants/{assistant_id}', { params: { path: { assistant_id } } })),
    onSuccess: async () => {
      await readAgain('assistants');
      toast(t('The assistant is disconnected.'));
    },
    onError: toastError,
  });
  const columns: Column<Schemas['Assistant']>[] = [
    { id: 'name', header: t('Assistant'), cell: clientInWords },
    { id: 'member', header: t('Acts for'), cell: ({ staff }) => staff.name },
    { id: 'scopes', header: t('May'), cell: ({ scopes }) => scopes.map(scopeInWords).join(', ') },
    {
      id: 'used',
      header: t('Last used'),
      short: true,
      cell: ({ last_used_at }) => (last_used_at ? format.time(last_used_at) : t('Never')),
    },
    { id: 'until', header: t('Until'), short: true, cell: ({ expires_at }) => format.time(expires_at) },
    {
      id: 'actions',
      header: t('Actions'),
      cell: ({ id, client_name }) => (
        <Button
          kind="quiet"
          aria-label={t('Disconnect {client_name}', { client_name })}
          busy={revoke.isPending && revoke.variables === id}
          onClick={() => revoke.mutate(id)}
        >
          {t('Disconnect')}
        </Button>
      ),
    },
  ];
  return <DataTable caption={t('Connected assistants')} columns={columns} rows={assistants} />;
}
