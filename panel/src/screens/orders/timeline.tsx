import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Card, LoadError, Loading } from '../../ui/page.tsx';
import './orders.css';

type Entry = Schemas['TimelineEntry'] & { actor_name?: string | null };

const ACTORS: Record<Entry['actor_type'], string> = {
  staff: 'A member of staff',
  api_key: 'An API key',
  customer: 'The customer',
  guest: 'The customer',
  agent: 'An AI agent',
  sync: 'An integration',
  system: 'The shop itself',
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
    <Card title="Timeline">
      {entries.isPending && <Loading />}
      {entries.error && <LoadError error={entries.error} onRetry={() => void entries.refetch()} />}
      <ol className="timeline">
        {entries.data?.pages
          .flatMap((page): Entry[] => page.entries)
          .map((entry) => (
            <li key={entry.id}>
              <p>{entry.message}</p>
              <p className="quiet-text">
                {time(entry.created_at)} · {actorOf(entry)}
              </p>
            </li>
          ))}
      </ol>
      {entries.hasNextPage && (
        <Button busy={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
          Show earlier
        </Button>
      )}
    </Card>
  );
}
