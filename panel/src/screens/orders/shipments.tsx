import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { rich } from '../../language/rich.tsx';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { SafeLink } from '../../ui/safe-link.tsx';
import { TrackingDialog } from './actions/tracking-dialog.tsx';
import type { OrderDetails } from './order-queries.ts';
import { lineName } from './texts.ts';

export function Shipments({ order }: { order: OrderDetails }) {
  const { time } = useFormat();
  const can = useCan();
  const [editing, setEditing] = useState<string>();
  const { fulfillments, line_items } = order;
  const parcel = fulfillments.find(({ id }) => id === editing);
  if (fulfillments.length === 0) return null;
  const names = new Map(line_items.map((line) => [line.id, lineName(line)]));
  return (
    <Card title={t('Parcels')}>
      <ul className="records">
        {fulfillments.map(({ id, items, carrier, tracking_number, tracking_url, created_at, delivered_at }) => (
          <li key={id}>
            <p>
              <strong>{[carrier, 'sent'].filter(Boolean).join(', ')}</strong> {time(created_at)}
              {delivered_at && `, delivered ${time(delivered_at)}`}
            </p>
            {(tracking_number || tracking_url) && (
              <p>
                {rich('Tracking: {safeLink}', {
                  safeLink: <SafeLink href={tracking_url}>{tracking_number || tracking_url}</SafeLink>,
                })}
              </p>
            )}
            {can('orders:write') && (
              <Button kind="quiet" onClick={() => setEditing(id)}>
                {t('Correct tracking')}
              </Button>
            )}
            <ul className="quiet-text">
              {items.length === 0 && <li>{t('The whole order')}</li>}
              {items.map(({ line_item_id, quantity }) => (
                <li key={line_item_id}>
                  {quantity} × {names.get(line_item_id) ?? t('a line of the order')}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {parcel && <TrackingDialog parcel={parcel} onClose={() => setEditing(undefined)} />}
    </Card>
  );
}
