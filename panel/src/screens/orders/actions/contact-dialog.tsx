import { type Schemas, unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { CountryOptions } from '../../../ui/countries.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select, TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { textIn } from '../bulk-ship.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

type Address = Schemas['AddressInput'];
type Correction = { email?: string; phone?: string | null; shipping_address?: Address; billing_address?: Address };

const FIELDS = {
  ...{
    first_name: t('First name'),
    last_name: t('Last name'),
    company: t('Company'),
    address1: t('Street and number'),
  },
  ...{
    address2: t('Address line 2'),
    postal_code: t('Postal code'),
    city: t('City'),
    state: t('State or province'),
    phone: t('Phone'),
  },
} as const;
const ADDRESS_FIELDS = [...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]), 'country'] as const;
const TITLES = { shipping_address: t('Deliver to'), billing_address: t('Bill to') } as const;
type Part = keyof typeof TITLES;

/** Corrects the contact data of an order, and its addresses if they can still change. */
export function ContactDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { id, order_number, email, phone } = order;
  const parts = (['shipping_address', 'billing_address'] as const).filter((part) => isEditable(order, part));
  const work = useAct(
    (body: Correction) =>
      unwrap(api.PATCH('/api/dashboard/orders/{order_id}', { params: { path: { order_id: id } }, body })),
    { said: t('The order is corrected.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const correction = correctionOf(order, new FormData(event.currentTarget), parts);
    if (Object.keys(correction).length === 0) onClose();
    else work.mutate(correction);
  };
  const errorAt = (field: string) => fieldError(work.error, field);
  const isShown = ['email', 'phone', ...parts].some(errorAt);
  return (
    <Dialog open onClose={onClose} title={t('Correct order {order_number}', { order_number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <div className="fields-2">
          <TextField
            label={t('E-mail')}
            name="email"
            type="email"
            maxLength={254}
            defaultValue={email ?? ''}
            required={email !== null}
            error={errorAt('email')}
          />
          <TextField
            label={t('Phone')}
            name="phone"
            maxLength={64}
            defaultValue={phone ?? ''}
            error={errorAt('phone')}
          />
        </div>
        {parts.map((part) => (
          <AddressFields key={part} part={part} given={order[part] ?? {}} errorAt={errorAt} />
        ))}
        <DialogFoot work={work} action={t('Save')} error={isShown ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** Whether the address can be changed. Once everything has shipped, a new delivery address has no effect. */
function isEditable(order: OrderDetails, part: Part): boolean {
  if (!order[part]) return false;
  const { status, fulfillment_status } = order;
  return (
    part === 'billing_address' ||
    (status !== 'cancelled' && ['unfulfilled', 'partially_fulfilled'].includes(fulfillment_status))
  );
}

function AddressFields({
  part,
  given,
  errorAt,
}: {
  part: Part;
  given: NonNullable<OrderDetails[Part]>;
  errorAt: (field: string) => string | undefined;
}) {
  return (
    <fieldset>
      <legend>{TITLES[part]}</legend>
      <div className="fields-2">
        {Object.entries(FIELDS).map(([field, label]) => (
          <TextField
            key={field}
            label={label}
            name={`${part}.${field}`}
            maxLength={255}
            defaultValue={given[field as keyof typeof FIELDS] ?? ''}
            error={errorAt(`${part}.${field}`)}
          />
        ))}
        <Select
          label={t('Country')}
          name={`${part}.country`}
          defaultValue={given.country ?? ''}
          error={errorAt(`${part}.country`)}
        >
          <option value="">{t('None')}</option>
          <CountryOptions />
        </Select>
      </div>
    </fieldset>
  );
}

/**
 * Returns only the changed e-mail address, phone number and addresses, because the timeline of the order names the
 * fields that were sent.
 */
function correctionOf(order: OrderDetails, form: FormData, parts: Part[]): Correction {
  const email = textIn(form, 'email');
  const phone = textIn(form, 'phone');
  const typed = (part: Part) => ADDRESS_FIELDS.map((field) => [field, textIn(form, `${part}.${field}`)] as const);
  const isChanged = (part: Part) => typed(part).some(([field, text]) => text !== (order[part]?.[field] || null));
  return {
    ...(email && email !== order.email && { email }),
    ...(phone !== (order.phone || null) && { phone }),
    ...Object.fromEntries(parts.filter(isChanged).map((part) => [part, Object.fromEntries(typed(part))])),
  };
}
