import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { readAgain } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, Empty } from '../../../ui/page.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { ordersChanged } from '../order-queries.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { Result } from './result.tsx';
import { type Matches, markAll, orderToMark, type Row, rowsOf } from './rows.ts';
import { Transfers } from './transfers.tsx';

/**
 * The transfers of a bank statement: those that match an order, to mark as paid in one step, and those to check
 * manually.
 */
export function Preview({ matches }: { matches: Matches }) {
  const { counted } = useFormat();
  const can = useCan();
  const [rows, setRows] = useState(() => rowsOf(matches));
  const [assigning, setAssigning] = useState<Row>();
  const toMark = rows.filter((row) => orderToMark(row));
  const others = rows.filter((row) => !orderToMark(row));
  const mark = useMutation({
    mutationFn: () => markAll(rows),
    onSuccess: ({ paid, recorded }) => {
      const parts = [
        paid.length > 0 &&
          t('{count} marked as paid.', { count: counted(paid.length, '{count} order', '{count} orders') }),
        recorded.length > 0 &&
          t('{count} recorded.', { count: counted(recorded.length, '{count} payment', '{count} payments') }),
      ].filter(Boolean);
      toast(parts.join(' ') || t('No order was changed.'));
    },
    onError: toastError,
    // Earlier calls may have succeeded when a later one fails.
    onSettled: () => Promise.all([ordersChanged(), readAgain('statement-runs')]),
  });
  const change = (id: string, changes: Partial<Row>) => {
    setRows((now) => now.map((row) => (row.id === id ? { ...row, ...changes } : row)));
    setAssigning(undefined);
  };
  const remove = ({ id }: Row) => setRows((now) => now.map((row) => (row.id === id ? without(row) : row)));
  const mayAssign = can('orders:write') && !mark.isSuccess;
  if (rows.length === 0) {
    return <Empty title={t('No incoming transfers')}>{leftOutWords(matches)}</Empty>;
  }
  return (
    <>
      {mark.data && <Result marked={mark.data} />}
      {toMark.length > 0 && !mark.isSuccess && (
        <Card
          title={t('{count} to mark', { count: counted(toMark.length, '{count} transfer', '{count} transfers') })}
          actions={
            can('orders:write') && (
              <Button kind="primary" busy={mark.isPending} onClick={() => mark.mutate()}>
                {t('Mark {count} as paid', { count: counted(toMark.length, '{count} order', '{count} orders') })}
              </Button>
            )
          }
        >
          <Transfers
            caption={t('Transfers to mark')}
            rows={toMark}
            action={(row) => row.assigned && mayAssign && { name: t('Remove'), onClick: () => remove(row) }}
          />
        </Card>
      )}
      {others.length > 0 && (
        <Card title={t('{count} to check', { count: counted(others.length, '{count} transfer', '{count} transfers') })}>
          <p>{t('These change nothing unless you assign them to an order.')}</p>
          <Transfers
            caption={t('Transfers to check')}
            rows={others}
            action={(row) => !row.recorded && mayAssign && { name: t('Assign'), onClick: () => setAssigning(row) }}
          />
        </Card>
      )}
      <p className="quiet-text">{leftOutWords(matches)}</p>
      {assigning && (
        <AssignDialog
          row={assigning}
          taken={toMark.flatMap((row) => orderToMark(row)?.id ?? [])}
          onClose={() => setAssigning(undefined)}
          onAssigned={(assigned) => change(assigning.id, { assigned })}
          onRecorded={(recorded) => change(assigning.id, { recorded })}
        />
      )}
    </>
  );
}

function without({ id, transfer }: Row): Row {
  return { id, transfer };
}

function leftOutWords({ left_out: { outgoing, not_booked } }: Matches): string {
  if (outgoing + not_booked === 0) return '';
  return t('Not listed: {outgoing} outgoing and {not_booked} that the bank has not booked.', { outgoing, not_booked });
}
