import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Loaded } from '../../ui/page.tsx';

/** Lists the agent's calls in plain words, newest first. */
export function Activity({ agent_token_id }: { agent_token_id: string }) {
  const { time } = useFormat();
  const events = useInfiniteQuery({
    queryKey: ['agents', agent_token_id, 'audit'],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { agent_token_id }, query: { limit: 50, ...(pageParam && { cursor: pageParam }) } };
      return unwrap(api.GET('/api/dashboard/agent-tokens/{agent_token_id}/audit', { params, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  return (
    <Card title={t('Activity')}>
      <Loaded query={events}>
        {({ pages }) => {
          const rows = pages.flatMap(({ audit_events }) => audit_events);
          if (rows.length === 0) return <p className="quiet-text">{t('Nothing yet.')}</p>;
          return (
            <ol className="activity">
              {rows.map(({ id, action, status, summary, created_at }) => (
                <li key={id}>
                  <span dir="auto">{summary ?? action}</span>
                  {status >= 400 && <Badge value="refused">{t('Refused')}</Badge>}
                  <span className="quiet-text">{time(created_at)}</span>
                </li>
              ))}
            </ol>
          );
        }}
      </Loaded>
      {events.hasNextPage && (
        <Button busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      )}
    </Card>
  );
}
