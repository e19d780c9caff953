import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { useFormState } from 'react-hook-form';
import { api, type Inputs, readAgain, type Schemas, type Versioned } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { changesOf } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { DialogFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { usePriceQuestion } from '../../ui/price-question.tsx';
import { toast } from '../../ui/toasts.tsx';

type Option = Schemas['ShippingOption'];
type Input = Inputs['ShippingOptionInput'];

const Field = fieldsOf<Input>();

const EMPTY: Input = {
  ...{ name: '', price: '', kind: 'delivery', active: true },
  ...{ countries: [], states: [], postcode_prefixes: [] },
};

export function DeliveryDialog({ option, onClose }: { option: Option | undefined; onClose: () => void }) {
  const prices = usePriceQuestion();
  const stored = { data: (option ?? EMPTY) as Input, etag: undefined };
  const editing = useEditing<Input>(stored, {
    send: (values, over) => send(option, values, over),
    onSaved: async () => {
      await readAgain('shipping-options', 'setup');
      toast(t('Saved.'));
      onClose();
    },
  });
  const save = () => {
    const after = editing.form.getValues('price');
    prices.ask(option ? [{ name: option.name, before: option.price, after }] : [], () => void editing.save());
  };
  return (
    <Dialog open onClose={onClose} title={option ? option.name : t('New delivery option')}>
      <DialogFrame editing={editing} onSave={save} onCancel={onClose}>
        <Basics />
        <Field.Countries name="countries" label={t('Countries')} hint={t('None means every country.')} />
        <Regions isOpen={(option?.states.length ?? 0) + (option?.postcode_prefixes.length ?? 0) > 0} />
        <Limits isOpen={option !== undefined} />
        <Field.Tick name="active" label={t('Shoppers can choose it')} />
      </DialogFrame>
      {prices.question}
    </Dialog>
  );
}

function Basics() {
  const { currency } = useFormat();
  return (
    <>
      <Field.Text name="name" label={t('Name')} placeholder={t('Standard delivery')} required />
      <div className="fields-2">
        <Field.Amount name="price" label={t('Price in {currency}', { currency })} required />
        <Field.Choice name="kind" label={t('Kind')}>
          <option value="delivery">{t('Delivery')}</option>
          <option value="pickup">{t('Pick up at the shop')}</option>
        </Field.Choice>
      </div>
      <Field.Text name="description" label={t('Description')} />
      <Field.Amount
        name="cash_on_delivery_fee"
        label={t('Fee of payment on delivery in {currency}', { currency })}
        hint={t('Empty if shoppers cannot pay on delivery, 0 without a fee.')}
      />
    </>
  );
}

const REGIONS = [
  ['states', t('States or regions, one per line')],
  ['postcode_prefixes', t('Postal code prefixes, one per line')],
] as const;

/** States and postal codes to which a shipping option is limited. An empty list means no limit. */
function Regions({ isOpen }: { isOpen: boolean }) {
  const { errors } = useFormState<Input>();
  const [wasOpen] = useState(isOpen);
  return (
    <details open={wasOpen || REGIONS.some(([name]) => errors[name])}>
      <summary>{t('Only parts of these countries')}</summary>
      <div className="fields-2">
        {REGIONS.map(([name, label]) => (
          <Field.Lines key={name} name={name} label={label} />
        ))}
      </div>
    </details>
  );
}

const NUMBERS = [
  ['estimated_days_min', t('Minimum days')],
  ['estimated_days_max', t('Maximum days')],
  ['minimum_weight_grams', t('Minimum weight in grams')],
  ['maximum_weight_grams', t('Maximum weight in grams')],
] as const;

const AMOUNTS = [
  ['minimum_subtotal', t('Minimum order value')],
  ['maximum_subtotal', t('Maximum order value')],
] as const;

function Limits({ isOpen }: { isOpen: boolean }) {
  const { currency } = useFormat();
  const { errors } = useFormState<Input>();
  return (
    <details open={isOpen || [...NUMBERS, ...AMOUNTS].some(([name]) => errors[name])}>
      <summary>{t('Days, weight, order value')}</summary>
      <div className="fields-2">
        {NUMBERS.map(([name, label]) => (
          <Field.Whole key={name} name={name} label={label} type="number" min={0} />
        ))}
        {AMOUNTS.map(([name, label]) => (
          <Field.Amount key={name} name={name} label={t('{label} in {currency}', { label, currency })} />
        ))}
      </div>
    </details>
  );
}

async function send(option: Option | undefined, values: Input, over: Versioned<Input>): Promise<Versioned<Input>> {
  const saved = { data: values, etag: undefined };
  const body = changesOf(option ? over.data : {}, values);
  if (option === undefined) {
    await unwrap(api.POST('/api/dashboard/shipping-options', { body: body as Input }));
  } else if (Object.keys(body).length > 0) {
    const params = { path: { shipping_option_id: option.id } };
    await unwrap(api.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', { params, body }));
  }
  return saved;
}
