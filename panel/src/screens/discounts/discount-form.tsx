import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import {
  api,
  fieldError,
  type Inputs,
  ifMatch,
  readAgain,
  type Schemas,
  untoldBeside,
  type Versioned,
  versioned,
} from '../../api.ts';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { ConflictDialog, conflictFields, conflictOf } from '../../ui/conflict-dialog.tsx';
import { differences, integerOrNull, textOrNull } from '../../ui/draft.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { AmountField, NumberField } from '../../ui/number-field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { numberIn } from '../../ui/typed-number.ts';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { wordsOf } from '../../ui/words-of.ts';
import { Targets } from './targets.tsx';

type Discount = Schemas['Discount'];
type Input = Inputs['DiscountInput'];
type Format = ReturnType<typeof useFormat>;

/** The form of a code, new or stored. */
export function DiscountForm({ discount, etag }: { discount: Discount | undefined; etag: string | undefined }) {
  const [, navigate] = useLocation();
  const writable = useCan()('discounts:write');
  const format = useFormat();
  /** The state that the fields began with. */
  const [base, setBase] = useState(discount);
  const [kind, setKind] = useState<string>(discount?.kind ?? 'percentage');
  const [targets, setTargets] = useState(targetsOf(discount));
  const [edited, setEdited] = useState(false);
  /** What somebody else has saved meanwhile, once the form has been refused for it. */
  const [latest, setLatest] = useState<Versioned<Discount>>();
  // After it was saved, the fields begin anew. The form stays, and in it the focus.
  if (discount?.updated_at !== base?.updated_at) {
    setBase(discount);
    setKind(discount?.kind ?? 'percentage');
    setTargets(targetsOf(discount));
    setEdited(false);
    setLatest(undefined);
  }
  const dirty = edited || JSON.stringify(targets) !== JSON.stringify(targetsOf(base));
  const save = useMutation({
    mutationFn: (body: Input) => send(discount, body, latest?.etag ?? etag),
    onSuccess: async () => {
      await readAgain('discounts');
      toast('Saved.');
    },
    onError: async (error) => {
      if (discount && conflictOf(error)) setLatest(await read(discount.id).catch(() => undefined));
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const onSuccess = ({ id }: Discount) => {
      setEdited(false);
      if (!discount) navigate(`/discounts/${id}`, { replace: true });
    };
    save.mutate({ ...inputOf(new FormData(event.currentTarget), base, format), ...targets }, { onSuccess });
  }
  return (
    <Form
      busy={save.isPending}
      onSubmit={submit}
      onChange={(event) => setEdited(isEdited(base, inputOf(new FormData(event.currentTarget), base, format)))}
    >
      <UnsavedGuard dirty={dirty} />
      <fieldset key={base?.updated_at ?? 'new'} className="stack" disabled={!writable}>
        <What discount={discount} kind={kind} onKind={setKind} error={save.error} />
        <Limits discount={discount} error={save.error} />
        <Targets value={targets} onChange={setTargets} />
        <Checkbox label="Shoppers can use it" name="active" defaultChecked={discount?.active ?? true} />
      </fieldset>
      <FormError error={latest && conflictOf(save.error) ? null : untoldBeside(save.error, toldFor(kind))} />
      {writable && (
        <footer>
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save
          </Button>
        </footer>
      )}
      <Conflict
        error={latest && save.error}
        base={discount}
        mine={save.variables}
        theirs={latest?.data}
        onClose={save.reset}
        onKeepMine={() => save.variables && save.mutate(save.variables)}
      />
    </Form>
  );
}

/** Shows what somebody else has saved meanwhile beside what is in the form. */
function Conflict({
  error,
  base,
  mine,
  theirs,
  onClose,
  onKeepMine,
}: {
  error: unknown;
  base: Discount | undefined;
  mine: Input | undefined;
  theirs: Discount | undefined;
  onClose: () => void;
  onKeepMine: () => void;
}) {
  // Only what the form has: a code counts its uses by itself.
  const words = (values: Discount | undefined) =>
    wordsOf(Object.fromEntries(Object.keys(mine ?? {}).map((field) => [field, values?.[field as keyof Discount]])));
  return (
    <ConflictDialog
      source={conflictOf(error)}
      fields={conflictFields(words(base), wordsOf(mine ?? {}), words(theirs))}
      onClose={onClose}
      onKeepMine={onKeepMine}
      onTakeTheirs={() => {
        onClose();
        void readAgain('discounts');
      }}
    />
  );
}

function What({
  discount,
  kind,
  onKind,
  error,
}: {
  discount: Discount | undefined;
  kind: string;
  onKind: (kind: string) => void;
  error: unknown;
}) {
  const { currency, amounts, decimals } = useFormat();
  return (
    <>
      <TextField
        label="Code"
        name="code"
        defaultValue={discount?.code}
        hint="What shoppers enter; upper and lower case are the same."
        error={fieldError(error, 'code')}
        required
      />
      <div className="fields-2">
        <Select label="Takes off" name="kind" value={kind} onChange={(event) => onKind(event.target.value)}>
          <option value="percentage">a percentage</option>
          <option value="fixed_amount">an amount</option>
          <option value="free_shipping">the cost of delivery</option>
        </Select>
        {kind !== 'free_shipping' && (
          <NumberField
            key={kind}
            label={kind === 'percentage' ? 'Percent' : `Amount in ${currency}`}
            name="value"
            texts={kind === 'percentage' ? decimals : amounts}
            value={discount?.kind === kind ? discount.value : ''}
            error={fieldError(error, 'value')}
            required
          />
        )}
      </div>
      <TextField label="Note for staff" name="description" defaultValue={discount?.description ?? ''} />
    </>
  );
}

const limits = [
  ['minimum_quantity', 'Fewest pieces in the cart'],
  ['usage_limit', 'Times in total'],
  ['usage_limit_per_customer', 'Times for each customer'],
] as const;

/** The fields that show what is wrong with them: a code that frees delivery has no value. */
function toldFor(kind: string): string[] {
  const always = ['code', 'starts_at', 'ends_at', 'minimum_subtotal', ...limits.map(([name]) => name)];
  return kind === 'free_shipping' ? always : [...always, 'value'];
}

function Limits({ discount, error }: { discount: Discount | undefined; error: unknown }) {
  const { currency } = useFormat();
  return (
    <div className="fields-2">
      {(['starts_at', 'ends_at'] as const).map((name) => (
        <TextField
          key={name}
          label={name === 'starts_at' ? 'From' : 'Until'}
          name={name}
          type="datetime-local"
          defaultValue={localTime(discount?.[name])}
          hint="By this device’s clock."
          error={fieldError(error, name)}
        />
      ))}
      <AmountField
        label={`Smallest order value in ${currency}`}
        name="minimum_subtotal"
        value={discount?.minimum_subtotal ?? ''}
        error={fieldError(error, 'minimum_subtotal')}
      />
      {limits.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          name={name}
          type="number"
          min={1}
          defaultValue={discount?.[name] ?? ''}
          error={fieldError(error, name)}
        />
      ))}
    </div>
  );
}

/** A time of the API as `<input type="datetime-local">` takes it. */
function localTime(time: string | null | undefined): string {
  if (!time) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function targetsOf(discount: Discount | undefined) {
  return { product_ids: discount?.product_ids ?? [], collection_ids: discount?.collection_ids ?? [] };
}

/** What the form of a new code says before anything is typed. */
const UNTYPED: Partial<Input> = { code: '', kind: 'percentage', description: null, active: true };

function isEdited(base: Discount | undefined, input: Input): boolean {
  if (base) return Object.keys(differences(base, input)).length > 0;
  const typed = Object.entries(input).filter(([, value]) => value !== null);
  return Object.keys(differences(UNTYPED, Object.fromEntries(typed))).length > 0;
}

function inputOf(form: FormData, base: Discount | undefined, format: Format): Input {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const time = (name: 'starts_at' | 'ends_at') => {
    // The field has no seconds: a time that was not touched keeps its own.
    if (base && text(name) === localTime(base[name])) return base[name];
    return text(name) === '' ? null : new Date(text(name)).toISOString();
  };
  const valueTexts = text('kind') === 'percentage' ? format.decimals : format.amounts;
  return {
    code: text('code'),
    // The list offers only kinds of the contract.
    kind: text('kind') as Input['kind'],
    ...(text('value') !== '' && { value: numberIn(form, 'value', valueTexts) }),
    description: textOrNull(text('description')),
    active: form.get('active') !== null,
    starts_at: time('starts_at'),
    ends_at: time('ends_at'),
    minimum_subtotal: textOrNull(numberIn(form, 'minimum_subtotal', format.amounts)),
    ...Object.fromEntries(limits.map(([name]) => [name, integerOrNull(text(name))])),
  };
}

function read(discount_id: string) {
  return versioned(api.GET('/api/dashboard/discounts/{discount_id}', { params: { path: { discount_id } } }), unwrap);
}

/** Only what was changed here: a field that only somebody else has changed stays as theirs. */
async function send(discount: Discount | undefined, body: Input, etag: string | undefined): Promise<Discount> {
  if (discount === undefined) return unwrap(api.POST('/api/dashboard/discounts', { body }));
  const changes = differences(discount, body);
  if (Object.keys(changes).length === 0) return discount;
  const params = { path: { discount_id: discount.id } };
  const headers = ifMatch(etag);
  return unwrap(api.PATCH('/api/dashboard/discounts/{discount_id}', { params, body: changes, headers }));
}
