import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { csvOf, download } from '../../ui/csv.ts';
import { toast, toastError } from '../../ui/toasts.tsx';
import type { AuditQuery } from './audit-query.ts';

/** Maximum number of entries in an export. `commerce audit list --all` has no limit. */
const MOST = 5_000;

/** Exports the entries that match the filters, at most the newest 5,000. */
export function AuditExport({ query }: { query: AuditQuery }) {
  const { number } = useFormat();
  const work = useMutation({
    mutationFn: () => allEvents(query),
    onSuccess: (events) => {
      download(`audit-${new Date().toISOString().slice(0, 10)}.csv`, csvOf([HEADER, ...events.map(rowOf)]));
      const count = number(events.length);
      toast(
        events.length === MOST
          ? t('The newest {count} entries were exported.', { count })
          : t('{count} entries exported.', { count }),
      );
    },
    onError: toastError,
  });
  return (
    <Button busy={work.isPending} onClick={() => work.mutate()}>
      {t('Export CSV')}
    </Button>
  );
}

async function allEvents(query: AuditQuery): Promise<Schemas['AuditEvent'][]> {
  const events: Schemas['AuditEvent'][] = [];
  for (let cursor: string | null = ''; cursor !== null && events.length < MOST; ) {
    const params = { query: { ...query, limit: 100, ...(cursor && { cursor }) } };
    const page: Schemas['AuditPage'] = await unwrap(api.GET('/api/dashboard/audit-events', { params }));
    events.push(...page.audit_events);
    cursor = page.next_cursor;
  }
  return events.slice(0, MOST);
}

const HEADER = [
  ...['created_at', 'actor_type', 'actor_name', 'assistant', 'action', 'status', 'target_name', 'target_id', 'fields'],
  ...['changes', 'ip', 'request_id'],
];

function rowOf(event: Schemas['AuditEvent']): (string | number | null | undefined)[] {
  const {
    created_at,
    actor_type,
    actor_name,
    details,
    action,
    status,
    target_name,
    targets,
    fields,
    changes,
    more_changes,
  } = event;
  const changed = [
    ...changes.map(({ field, before, after }) => `${field}: ${before ?? '–'} → ${after ?? '–'}`),
    ...(more_changes ? [t('{count} more', { count: more_changes })] : []),
  ];
  return [
    ...[created_at, actor_type, actor_name, details?.assistant, action, status, target_name, targets[0]],
    ...[fields.join(' '), changed.join('\n'), event.buyer_ip ?? event.ip, event.correlation_id],
  ];
}
