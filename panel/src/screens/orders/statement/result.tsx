import { Link } from 'wouter';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
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
          title={t('{count} marked as paid', { count: counted(paid.length, '{count} order', '{count} orders') })}
          actions={isUndone ? t('Undone') : <UndoButton run_id={run_id} numbers={numbers} />}
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
        <Card title={t('{count} recorded', { count: counted(recorded.length, '{count} payment', '{count} payments') })}>
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
        <Card title={t('{count} not marked', { count: counted(refused.length, '{count} order', '{count} orders') })}>
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
