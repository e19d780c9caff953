import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { api } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ApproveDialog, CloseDialog, DeclineDialog, ReturnTrackingDialog } from './decision-dialogs.tsx';
import { ExchangeDialog } from './exchange-dialog.tsx';
import { ReceiveDialog } from './receive-dialog.tsx';
import { ReturnRefundDialog } from './refund-dialog.tsx';
import { type Return, useReturnAct } from './return-queries.ts';

type Act = 'approve' | 'decline' | 'receive' | 'refund' | 'exchange' | 'tracking' | 'close' | 'cancel';

/** The actions that the return's state allows. The next step comes first and is highlighted. */
export function ReturnActions({ found }: { found: Return }) {
  const can = useCan();
  const [open, setOpen] = useState<Act>();
  const onClose = () => setOpen(undefined);
  const acts = actsFor(found).filter(({ scope = 'orders:write' }) => can(scope));
  return (
    <>
      {acts.map(({ act, name }, i) => (
        <Button key={act} kind={i === 0 ? 'primary' : 'plain'} onClick={() => setOpen(act)}>
          {name}
        </Button>
      ))}
      {open === 'approve' && <ApproveDialog found={found} onClose={onClose} />}
      {open === 'decline' && <DeclineDialog found={found} onClose={onClose} />}
      {open === 'tracking' && <ReturnTrackingDialog found={found} onClose={onClose} />}
      {open === 'receive' && <ReceiveDialog found={found} onClose={onClose} />}
      {open === 'refund' && <ReturnRefundDialog found={found} onClose={onClose} />}
      {open === 'exchange' && <ExchangeDialog found={found} onClose={onClose} />}
      {open === 'close' && <CloseDialog found={found} onClose={onClose} />}
      {open === 'cancel' && <Cancel found={found} onClose={onClose} />}
    </>
  );
}

function actsFor({
  kind,
  status,
  keep_goods,
  lines,
  refund_ids,
}: Return): { act: Act; name: string; scope?: string }[] {
  const refund = { act: 'refund', name: t('Refund'), scope: 'orders:refund' } as const;
  const exchange = { act: 'exchange', name: t('Exchange'), scope: 'orders:refund' } as const;
  const receive = { act: 'receive', name: t('Record arrival') } as const;
  const tracking = { act: 'tracking', name: t('Tracking') } as const;
  const close = { act: 'close', name: t('Close') } as const;
  const cancel = { act: 'cancel', name: t('Cancel return') } as const;
  switch (status) {
    case 'requested':
      return [{ act: 'approve', name: t('Approve') }, { act: 'decline', name: t('Decline') }, cancel];
    case 'approved':
      return keep_goods ? [refund, close, ...(refund_ids.length === 0 ? [cancel] : [])] : [receive, tracking, cancel];
    case 'in_transit':
      return [receive, tracking, cancel];
    case 'received':
      return [
        refund,
        ...(kind !== 'withdrawal' && !keep_goods ? [exchange] : []),
        ...(lines.some(({ quantity, received_quantity }) => received_quantity < quantity) ? [receive] : []),
        close,
      ];
    default:
      return [];
  }
}

function Cancel({ found, onClose }: { found: Return; onClose: () => void }) {
  const params = { path: { return_id: found.id } };
  const work = useReturnAct(() => unwrap(api.POST('/api/dashboard/returns/{return_id}/cancel', { params })), {
    said: t('Return {number} is cancelled.', { number: found.number }),
    onDone: onClose,
  });
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => work.mutate()}
      title={t('Cancel the return?')}
      action={t('Cancel return')}
      busy={work.isPending}
    >
      <p>{t('The items can be returned again. The customer receives an e-mail.')}</p>
    </Confirm>
  );
}
