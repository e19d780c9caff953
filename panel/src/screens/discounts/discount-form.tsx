import { unwrap } from '@commerce-backend/sdk';
import { useController, useFormContext } from 'react-hook-form';
import { useLocation } from 'wouter';
import { api, type Inputs, ifMatch, readAgain, type Schemas, type Versioned, versioned } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Select } from '../../ui/field.tsx';
import { changesOf, without } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { FormFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { toast } from '../../ui/toasts.tsx';
import { Targets } from './targets.tsx';

type Discount = Schemas['Discount'];
type Input = Inputs['DiscountInput'];

const Field = fieldsOf<Input>();

const EMPTY: Input = { code: '', kind: 'percentage', active: true, product_ids: [], collection_ids: [] };

/** The form for a new or existing discount code. */
export function DiscountForm({ discount, etag }: { discount: Discount | undefined; etag: string | undefined }) {
  const [, navigate] = useLocation();
  const editing = useEditing<Input>(discount ? inputOf({ data: discount, etag }) : { data: EMPTY, etag }, {
    send: async (values, over) => {
      const saved = await send(discount?.id, values, over);
      if (!discount) navigate(`/discounts/${saved.data.id}`, { replace: true });
      return inputOf(saved);
    },
    ...(discount && { read: async () => inputOf(await read(discount.id)) }),
    onSaved: async () => {
      await readAgain('discounts');
      toast(t('Saved.'));
    },
  });
  return (
    <FormFrame editing={editing} isNew={discount === undefined} writable={useCan()('discounts:write')}>
      <What />
      <Limits />
      <Targets />
      <Field.Tick name="active" label={t('Shoppers can use it')} />
    </FormFrame>
  );
}

async function send(id: string | undefined, values: Input, over: Versioned<Input>): Promise<Versioned<Discount>> {
  const typed = values.kind === 'free_shipping' ? (without(values, ['value']) as Input) : values;
  const body = changesOf(id === undefined ? {} : over.data, typed);
  if (id === undefined) return versioned(api.POST('/api/dashboard/discounts', { body: body as Input }), unwrap);
  if (Object.keys(body).length === 0) return read(id);
  const call = { params: { path: { discount_id: id } }, body, headers: ifMatch(over.etag) };
  return versioned(api.PATCH('/api/dashboard/discounts/{discount_id}', call), unwrap);
}

/** Returns the fields of the form, without those that the server computes, such as the usage count. */
function inputOf({ data, etag }: Versioned<Discount>): Versioned<Input> {
  const computed = ['id', 'currency', 'status', 'usage_count', 'created_at', 'updated_at'];
  return { data: without(data, computed) as Input, etag };
}

function read(discount_id: string) {
  return versioned(api.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id } } }), unwrap);
}

function What() {
  const { currency, amounts, decimals } = useFormat();
  const { setValue } = useFormContext<Input>();
  const { field: kind } = useController<Input, 'kind'>({ name: 'kind' });
  return (
    <>
      <Field.Text
        name="code"
        label={t('Code')}
        hint={t('The code that shoppers enter; upper and lower case are the same.')}
        required
      />
      <div className="fields-2">
        <Select
          {...kind}
          label={t('Takes off')}
          onChange={(event) => {
            kind.onChange(event);
            // Clears the value, because a percentage must not become an amount.
            setValue('value', '');
          }}
        >
          <option value="percentage">{t('a percentage')}</option>
          <option value="fixed_amount">{t('an amount')}</option>
          <option value="free_shipping">{t('the cost of delivery')}</option>
        </Select>
        {kind.value !== 'free_shipping' && (
          <Field.Amount
            key={kind.value}
            name="value"
            label={kind.value === 'percentage' ? t('Percent') : t('Amount in {currency}', { currency })}
            texts={kind.value === 'percentage' ? decimals : amounts}
            required
          />
        )}
      </div>
      <Field.Text name="description" label={t('Note for staff')} />
    </>
  );
}

function Limits() {
  const { currency } = useFormat();
  return (
    <div className="fields-2">
      <Field.Moment name="starts_at" label={t('From')} hint={t('By this device’s clock.')} />
      <Field.Moment name="ends_at" label={t('Until')} hint={t('By this device’s clock.')} />
      <Field.Amount name="minimum_subtotal" label={t('Minimum order value in {currency}', { currency })} />
      <Field.Whole name="minimum_quantity" label={t('Minimum items in the cart')} type="number" min={1} />
      <Field.Whole name="usage_limit" label={t('Uses in total')} type="number" min={1} />
      <Field.Whole name="usage_limit_per_customer" label={t('Uses per customer')} type="number" min={1} />
    </div>
  );
}
