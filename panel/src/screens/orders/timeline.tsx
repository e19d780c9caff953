import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { sentence } from '../../language/sentences.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Card, LoadError, Loading } from '../../ui/page.tsx';
import './orders.css';
import { t } from '../../language/texts.ts';

type Entry = Schemas['TimelineEntry'] & { actor_name?: string | null };

const ACTORS: Record<Entry['actor_type'], string> = {
  staff: t('A member of staff'),
  api_key: t('An API key'),
  customer: t('The customer'),
  guest: t('The customer'),
  agent: t('An AI agent'),
  sync: t('An integration'),
  system: t('The shop itself'),
};

/** Lists the events of an order and their actors, newest first. */
export function Timeline({ order_id }: { order_id: string }) {
  const { time } = useFormat();
  const { staff } = useMe();
  const entries = useInfiniteQuery({
    queryKey: ['orders', order_id, 'timeline'],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 50, ...(pageParam && { cursor: pageParam }) };
      const params = { path: { order_id }, query };
      return unwrap(api.GET('/api/dashboard/orders/{order_id}/timeline', { params, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const actorOf = ({ actor_name, actor_id, actor_type }: Entry) =>
    actor_name || (actor_id === staff.id ? staff.name || staff.email : ACTORS[actor_type]);
  return (
    <Card title={t('Timeline')}>
      {entries.isPending && <Loading />}
      {entries.error && <LoadError error={entries.error} onRetry={() => void entries.refetch()} />}
      <ol className="timeline">
        {entries.data?.pages
          .flatMap((page): Entry[] => page.entries)
          .map((entry) => (
            <li key={entry.id}>
              <p>{sentence(entry.message)}</p>
              <p className="quiet-text">
                {time(entry.created_at)} · {actorOf(entry)}
              </p>
            </li>
          ))}
      </ol>
      {entries.hasNextPage && (
        <Button busy={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
          {t('Show earlier')}
        </Button>
      )}
    </Card>
  );
}
