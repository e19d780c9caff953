import { Link } from 'wouter';
import { useFormat } from '../../../format.ts';
import { Card } from '../../../ui/page.tsx';
import type { Marked } from './rows.ts';
import { useStatementRuns } from './runs.tsx';
import { UndoButton } from './undo.tsx';

/** The orders that were marked as paid, those with a recorded payment, and those that the server rejected. */
export function Result({ marked: { run_id, paid, recorded, refused } }: { marked: Marked }) {
  const { counted, money } = useFormat();
  const { data: runs } = useStatementRuns();
  const isUndone = runs !== undefined && !runs.some(({ id }) => id === run_id);
  const numbers = paid.map(({ order_number }) => order_number);
  return (
    <>
      {paid.length > 0 && (
        <Card
          title={`${counted(paid.length, 'order')} marked as paid`}
          actions={isUndone ? 'Undone' : <UndoButton run_id={run_id} numbers={numbers} />}
        >
          <ul className="marked-orders">
            {paid.map(({ id, order_number, total, currency }) => (
              <li key={id}>
                <Link to={`/orders/${id}`}>{order_number}</Link> {money(total, currency)}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {recorded.length > 0 && (
        <Card title={`${counted(recorded.length, 'payment')} recorded`}>
          <ul className="marked-orders">
            {recorded.map(({ id, order_number }) => (
              <li key={id}>
                <Link to={`/orders/${id}`}>{order_number}</Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {refused.length > 0 && (
        <Card title={`${counted(refused.length, 'order')} not marked`}>
          <ul>
            {refused.map((refusal) => (
              <li key={refusal}>{refusal}</li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
