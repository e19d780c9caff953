import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { VariantSearch } from '../orders/actions/variant-search.tsx';
import { type Return, useReturnAct } from './return-queries.ts';

const NOTHING = t('Add at least one product.');

interface Wanted {
  variant_id: string;
  name: string;
  quantity: number;
}

/** Creates an exchange order with the items that the customer wants instead of the received ones. */
export function ExchangeDialog({ found, onClose }: { found: Return; onClose: () => void }) {
  const [wanted, setWanted] = useState<Wanted[]>([]);
  const [isEmpty, setEmpty] = useState(false);
  const lines = wanted.flatMap(({ variant_id, quantity }) => (quantity > 0 ? [{ variant_id, quantity }] : []));
  const params = { path: { return_id: found.id } };
  const work = useReturnAct(
    (price: 'paid' | 'current') =>
      unwrap(api.POST('/api/dashboard/returns/{return_id}/exchange', { params, body: { lines, price } })),
    { said: t('The exchange order is placed. The customer receives an e-mail.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setEmpty(lines.length === 0);
    if (lines.length > 0) work.mutate(new FormData(event.currentTarget).has('paid') ? 'paid' : 'current');
  };
  return (
    <Dialog open onClose={onClose} title={t('Exchange {number}', { number: found.number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <VariantSearch
          onChoose={({ variant_id, name }) => {
            if (wanted.some((one) => one.variant_id === variant_id)) return;
            setWanted([...wanted, { variant_id, name, quantity: 1 }]);
          }}
        />
        {wanted.length > 0 && (
          <fieldset className="pieces">
            <legend>{t('The customer gets')}</legend>
            {wanted.map((one) => (
              <TextField
                key={one.variant_id}
                label={one.name}
                type="number"
                min={0}
                max={10_000}
                step={1}
                value={one.quantity}
                onChange={(event) => {
                  const quantity = Number(event.target.value);
                  setWanted(wanted.map((each) => (each.variant_id === one.variant_id ? { ...each, quantity } : each)));
                }}
                required
              />
            ))}
          </fieldset>
        )}
        <Checkbox
          name="paid"
          label={t('At the price that was paid')}
          hint={t('For another variant of the same product, at no extra cost.')}
        />
        <p className="note">
          {t(
            'The returned goods pay the new order. The customer pays the rest on the page of the order, or gets it back.',
          )}
        </p>
        <DialogFoot
          work={work}
          action={t('Place the exchange order')}
          error={isEmpty ? NOTHING : work.error}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
