import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { auditQueryOf } from './audit-query.ts';
import './audit.css';
import { AuditExport } from './export.tsx';
import { AuditFilters } from './filters.tsx';
import { Target } from './target.tsx';
import { actionInWords, fieldInWords, valueInWords } from './words.ts';

type AuditEvent = Schemas['AuditEvent'];

/** Lists actions and their actors, newest first: by default only changes by staff, their assistants and keys. */
export function Audit() {
  const [params] = useSearchState();
  const filters = auditQueryOf(params);
  const query = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: 50, ...(pageParam && { cursor: pageParam }) };
      return unwrap(api.GET('/api/dashboard/audit-events', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('Audit')} actions={<AuditExport query={filters} />}>
      <AuditFilters />
      <Loaded query={query}>{({ pages }) => <Rows events={pages.flatMap((page) => page.audit_events)} />}</Loaded>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('Show older ones')}
        </Button>
      )}
    </Page>
  );
}

function Rows({ events }: { events: AuditEvent[] }) {
  const format = useFormat();
  if (events.length === 0) {
    return (
      <Empty title={t('No entries')}>
        {t(
          'This log lists changes by staff, assistants and keys, and on request each call of agents, customers and guests.',
        )}
      </Empty>
    );
  }
  const columns: Column<AuditEvent>[] = [
    { id: 'time', header: t('At'), short: true, cell: (row) => format.time(row.created_at) },
    { id: 'who', header: t('Who'), cell: (row) => <Actor event={row} /> },
    { id: 'what', header: t('What'), cell: (row) => row.summary ?? actionInWords(row.action) },
    { id: 'target', header: t('Concerns'), cell: (row) => <Target event={row} /> },
    { id: 'changes', header: t('Changes'), long: true, cell: (row) => <Changes event={row} /> },
    { id: 'status', header: t('Outcome'), cell: (row) => <Outcome status={row.status} /> },
    {
      id: 'ip',
      header: t('From'),
      wideOnly: true,
      cell: (row) => <span className="nowrap">{row.buyer_ip ?? row.ip ?? '—'}</span>,
    },
  ];
  return (
    <div className="table-box">
      <DataTable caption={t('Audit events')} columns={columns} rows={events} />
    </div>
  );
}

function Actor({ event: { actor_name, actor_type, details } }: { event: AuditEvent }) {
  const kind = details?.assistant
    ? t('with {assistant}', { assistant: details.assistant })
    : (KINDS[actor_type] ?? label(actor_type));
  return (
    <span>
      {actor_name ?? t('Guest')} <span className="quiet-text">({kind})</span>
    </span>
  );
}

/** Labels for actor types that `label` would not name well. */
const KINDS: Record<string, string> = { api_key: t('API key'), guest_agent: t('Agent without consent') };

/** Up to this number of changes are shown at once. The others open with a click. */
const SHOWN = 3;

/** The values before and after; the names of the sent fields if no values were recorded or the call failed. */
function Changes({ event: { changes, more_changes, fields, status } }: { event: AuditEvent }) {
  const { number } = useFormat();
  if (changes.length === 0 || status >= 400) return fields.map(fieldInWords).join(', ') || '—';
  const rest = changes.slice(SHOWN);
  return (
    <div className="changes">
      <ChangeList changes={changes.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{t('{count} more', { count: number(rest.length + more_changes) })}</summary>
          <ChangeList changes={rest} />
          {more_changes > 0 && <Unrecorded count={more_changes} />}
        </details>
      )}
      {rest.length === 0 && more_changes > 0 && <Unrecorded count={more_changes} />}
    </div>
  );
}

function Unrecorded({ count }: { count: number }) {
  const { counted } = useFormat();
  return (
    <p className="hint">
      {counted(
        count,
        '{count} further field changed; its values were not recorded.',
        '{count} further fields changed; their values were not recorded.',
      )}
    </p>
  );
}

function ChangeList({ changes }: Pick<AuditEvent, 'changes'>) {
  return (
    <dl>
      {changes.map(({ field, before, after }) => (
        <div key={field}>
          <dt>{fieldInWords(field)}</dt>
          <dd>
            <del>{before === null ? '–' : valueInWords(field, before)}</del> <span aria-hidden="true">→</span>
            <span className="unseen"> {t('is now')} </span>{' '}
            <ins>{after === null ? '–' : valueInWords(field, after)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows whether the call succeeded, was rejected or failed, and in the last two cases the HTTP status, for support. */
function Outcome({ status }: { status: number }) {
  if (status < 400) return <Badge value="succeeded">{t('Done')}</Badge>;
  return <Badge value="failed">{`${status < 500 ? t('Refused') : t('Failed')} (${status})`}</Badge>;
}
