import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { type Tracking, TrackingFields, trackingOf } from './tracking-fields.tsx';
import { useAct } from './use-act.ts';

type Parcel = OrderDetails['fulfillments'][number];

/** Corrects carrier and tracking of a parcel. */
export function TrackingDialog({ parcel, onClose }: { parcel: Parcel; onClose: () => void }) {
  const params = { path: { order_id: parcel.order_id, fulfillment_id: parcel.id } };
  const work = useAct(
    (body: Tracking & { notify: boolean }) =>
      unwrap(api.PATCH('/api/dashboard/orders/{order_id}/fulfillments/{fulfillment_id}', { params, body })),
    { said: t('The tracking is corrected.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    work.mutate({ ...trackingOf(form, parcel.tracking_url), notify: form.has('notify') });
  };
  const urlError = fieldError(work.error, 'tracking_url');
  const { carrier, tracking_number, tracking_url } = parcel;
  return (
    <Dialog open onClose={onClose} title={t('Correct the tracking')}>
      <Form busy={work.isPending} onSubmit={submit}>
        <TrackingFields given={{ carrier, tracking_number, tracking_url }} urlError={urlError} />
        <Checkbox name="notify" label={t('Send the customer the shipping e-mail again')} />
        <DialogFoot work={work} action={t('Save')} error={urlError ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
