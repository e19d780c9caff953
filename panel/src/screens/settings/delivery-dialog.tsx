import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, fieldError, type Inputs, readAgain, type Schemas, untoldBeside } from '../../api.ts';
import { type NumberTexts, useFormat } from '../../format.ts';
import { CountriesField } from '../../ui/countries.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { differences, integerOrNull, textOrNull } from '../../ui/draft.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { usePriceQuestion } from '../../ui/price-question.tsx';
import { toast } from '../../ui/toasts.tsx';
import { numberIn } from '../../ui/typed-number.ts';
import { LinesField } from './list-field.tsx';

type Option = Schemas['ShippingOption'];
type Input = Inputs['ShippingOptionInput'];

/** Adds a delivery option, or changes one. */
export function DeliveryDialog({ option, onClose }: { option: Option | undefined; onClose: () => void }) {
  const [places, setPlaces] = useState<Places>({
    countries: option?.countries ?? [],
    states: option?.states ?? [],
    postcode_prefixes: option?.postcode_prefixes ?? [],
  });
  const change = (changed: Partial<Places>) => setPlaces((before) => ({ ...before, ...changed }));
  const { amounts } = useFormat();
  const prices = usePriceQuestion();
  const save = useMutation({
    mutationFn: (body: Input) => send(option, body),
    onSuccess: async () => {
      await readAgain('shipping-options', 'setup');
      toast('Saved.');
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const input = { ...inputOf(new FormData(event.currentTarget), amounts), ...places };
    const changes = option ? [{ name: option.name, before: option.price, after: input.price }] : [];
    prices.ask(changes, () => save.mutate(input, { onSuccess: onClose }));
  }
  return (
    <Dialog open onClose={onClose} title={option ? option.name : 'New delivery option'}>
      <Form busy={save.isPending} onSubmit={submit}>
        <Basics option={option} error={save.error} />
        <CountriesField
          label="Countries"
          hint="None means every country."
          value={places.countries}
          onChange={(countries) => change({ countries })}
        />
        <Regions places={places} onChange={change} error={save.error} />
        <Limits option={option} error={save.error} />
        <Checkbox label="Shoppers can choose it" name="active" defaultChecked={option?.active ?? true} />
        <DialogFoot work={save} action="Save" error={untoldBeside(save.error, TOLD)} onCancel={onClose} />
      </Form>
      {prices.question}
    </Dialog>
  );
}

function Basics({ option, error }: { option: Option | undefined; error: unknown }) {
  const { currency } = useFormat();
  return (
    <>
      <TextField
        label="Name"
        name="name"
        defaultValue={option?.name}
        placeholder="Standard delivery"
        error={fieldError(error, 'name')}
        required
      />
      <div className="fields-2">
        <AmountField
          label={`Price in ${currency}`}
          name="price"
          value={option?.price ?? ''}
          error={fieldError(error, 'price')}
          required
        />
        <Select label="Kind" name="kind" defaultValue={option?.kind ?? 'delivery'}>
          <option value="delivery">Delivery</option>
          <option value="pickup">Pick up at the shop</option>
        </Select>
      </div>
      <TextField label="Description" name="description" defaultValue={option?.description ?? ''} />
    </>
  );
}

/** Where an option is offered: no entry of a kind means everywhere. */
type Places = Required<Pick<Input, 'countries' | 'states' | 'postcode_prefixes'>>;

interface RegionsProps {
  places: Places;
  onChange: (changed: Partial<Places>) => void;
  error: unknown;
}

function Regions({ places, onChange, error }: RegionsProps) {
  const [narrowed] = useState(places.states.length > 0 || places.postcode_prefixes.length > 0);
  const refused = REGIONS.some((name) => fieldError(error, name) !== undefined);
  return (
    <details open={narrowed || refused}>
      <summary>Only parts of these countries</summary>
      <div className="fields-2">
        <LinesField
          label="States or regions, one on a line"
          value={places.states}
          error={fieldError(error, 'states')}
          onChange={(states) => onChange({ states })}
        />
        <LinesField
          label="Beginnings of postal codes, one on a line"
          value={places.postcode_prefixes}
          error={fieldError(error, 'postcode_prefixes')}
          onChange={(postcode_prefixes) => onChange({ postcode_prefixes })}
        />
      </div>
    </details>
  );
}

const REGIONS = ['states', 'postcode_prefixes'];

const numbers = [
  ['estimated_days_min', 'Days, at least'],
  ['estimated_days_max', 'Days, at most'],
  ['minimum_weight_grams', 'Smallest weight in grams'],
  ['maximum_weight_grams', 'Largest weight in grams'],
] as const;

const amounts = [
  ['minimum_subtotal', 'Smallest order value'],
  ['maximum_subtotal', 'Largest order value'],
] as const;

const LIMITS = [...numbers, ...amounts].map(([name]) => name);
/** The fields that show what is wrong with them. */
const TOLD = ['name', 'price', ...REGIONS, ...LIMITS];

function Limits({ option, error }: { option: Option | undefined; error: unknown }) {
  const { currency } = useFormat();
  const refused = LIMITS.some((name) => fieldError(error, name) !== undefined);
  return (
    <details open={option !== undefined || refused}>
      <summary>Days, weight, order value</summary>
      <div className="fields-2">
        {numbers.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            name={name}
            type="number"
            min={0}
            defaultValue={option?.[name] ?? ''}
            error={fieldError(error, name)}
          />
        ))}
        {amounts.map(([name, label]) => (
          <AmountField
            key={name}
            label={`${label} in ${currency}`}
            name={name}
            value={option?.[name] ?? ''}
            error={fieldError(error, name)}
          />
        ))}
      </div>
    </details>
  );
}

function inputOf(form: FormData, texts: NumberTexts): Omit<Input, keyof Places> {
  const text = (name: string) => String(form.get(name) ?? '');
  return {
    name: text('name').trim(),
    price: numberIn(form, 'price', texts),
    kind: text('kind') === 'pickup' ? 'pickup' : 'delivery',
    description: textOrNull(text('description')),
    active: form.get('active') !== null,
    ...Object.fromEntries(numbers.map(([name]) => [name, integerOrNull(text(name))])),
    ...Object.fromEntries(amounts.map(([name]) => [name, textOrNull(numberIn(form, name, texts))])),
  };
}

async function send(option: Option | undefined, body: Input): Promise<Option> {
  if (option === undefined) return unwrap(api.POST('/api/dashboard/shipping-options', { body }));
  const changes = differences(option, body);
  if (Object.keys(changes).length === 0) return option;
  const params = { path: { shipping_option_id: option.id } };
  return unwrap(api.PATCH('/api/dashboard/shipping-options/{shipping_option_id}', { params, body: changes }));
}
