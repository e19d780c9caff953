import { useController, useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { PictureUpload } from '../../ui/picture-upload.tsx';
import {
  type CollectionDraft,
  FIELD_NAMES,
  Field,
  newRule,
  OPERATOR_NAMES,
  OPERATORS,
  type RuleDraft,
  SORT_ORDERS,
} from './draft.ts';

/** Title, description and image of the collection. */
export function CollectionWords({ onUploading }: { onUploading: (waiting: number) => void }) {
  const { setValue } = useFormContext<CollectionDraft>();
  const picture = useWatch<CollectionDraft, 'image_url'>({ name: 'image_url' }) ?? '';
  return (
    <Card>
      <Field.Text name="title" label="Title" required maxLength={255} />
      <Field.Area name="description" label="Description" />
      <Field.Text
        name="image_url"
        label="Address of the picture"
        placeholder="https://"
        inputMode="url"
        maxLength={2048}
      />
      <PictureUpload
        label="Or upload a picture"
        onUploaded={(url) => setValue('image_url', url)}
        onUploading={onUploading}
      />
      {/^https?:\/\/\S+$/.test(picture) && <img className="collection-picture" src={picture} alt="" />}
    </Card>
  );
}

export function CollectionShowing({ type }: Pick<CollectionDraft, 'type'>) {
  const orders = Object.entries(SORT_ORDERS).filter(([order]) => type === 'manual' || order !== 'manual');
  return (
    <Card title="In the shop">
      <Field.Tick name="published" label="Shown in the shop" />
      <Field.Choice name="sort_order" label="Order of the products">
        {orders.map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </Field.Choice>
      <Field.Text name="handle" label="Address in the shop" hint="Made from the title when left empty." />
    </Card>
  );
}

/** The rules that a product must match to be in the collection. */
export function Rules() {
  const { fields: rules, append, remove } = useFieldArray<CollectionDraft, 'rules'>({ name: 'rules' });
  return (
    <Card title="Rules" actions={<Button onClick={() => append(newRule(), { shouldFocus: false })}>Add a rule</Button>}>
      <Field.Choice name="rules_match" label="A product belongs here when it meets">
        <option value="all">all rules</option>
        <option value="any">any of the rules</option>
      </Field.Choice>
      <ul className="stack">
        {rules.map(({ id }, i) => (
          <li key={id}>
            <Rule at={i} onRemove={rules.length > 1 ? () => remove(i) : undefined} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Rule({ at, onRemove }: { at: number; onRemove: (() => void) | undefined }) {
  const { setValue } = useFormContext<CollectionDraft>();
  const { field } = useController<CollectionDraft, `rules.${number}.field`>({ name: `rules.${at}.field` });
  const number = at + 1;
  const value = { name: `rules.${at}.value`, label: `Value, rule ${number}` } as const;
  return (
    <div className="rule">
      <Select
        {...field}
        label={`What, rule ${number}`}
        onChange={(event) => {
          const next = event.target.value as RuleDraft['field'];
          field.onChange(next);
          setValue(`rules.${at}.operator`, OPERATORS[next][0] ?? 'equals');
          setValue(`rules.${at}.value`, next === 'in_stock' ? 'true' : '');
        }}
      >
        {Object.entries(FIELD_NAMES).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
      <Field.Choice name={`rules.${at}.operator`} label={`How, rule ${number}`}>
        {OPERATORS[field.value].map((each) => (
          <option key={each} value={each}>
            {OPERATOR_NAMES[each]}
          </option>
        ))}
      </Field.Choice>
      {field.value === 'in_stock' ? (
        <Field.Choice {...value}>
          <option value="true">yes</option>
          <option value="false">no</option>
        </Field.Choice>
      ) : field.value === 'price' ? (
        <Field.Amount {...value} />
      ) : (
        <Field.Text {...value} empty="" maxLength={255} />
      )}
      {onRemove && (
        <Button aria-label={`Remove rule ${number}`} onClick={onRemove}>
          ×
        </Button>
      )}
    </div>
  );
}
