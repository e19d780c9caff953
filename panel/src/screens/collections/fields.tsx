import { useController, useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { t } from '../../language/texts.ts';
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
      <Field.Text name="title" label={t('Title')} required maxLength={255} />
      <Field.Area name="description" label={t('Description')} />
      <Field.Text
        name="image_url"
        label={t('Address of the picture')}
        placeholder="https://"
        inputMode="url"
        maxLength={2048}
      />
      <PictureUpload
        label={t('Or upload a picture')}
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
    <Card title={t('In the shop')}>
      <Field.Tick name="published" label={t('Shown in the shop')} />
      <Field.Choice name="sort_order" label={t('Order of the products')}>
        {orders.map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </Field.Choice>
      <Field.Text name="handle" label={t('Address in the shop')} hint={t('Made from the title when left empty.')} />
    </Card>
  );
}

/** The rules that a product must match to be in the collection. */
export function Rules() {
  const { fields: rules, append, remove } = useFieldArray<CollectionDraft, 'rules'>({ name: 'rules' });
  return (
    <Card
      title={t('Rules')}
      actions={<Button onClick={() => append(newRule(), { shouldFocus: false })}>{t('Add a rule')}</Button>}
    >
      <Field.Choice name="rules_match" label={t('A product belongs here when it meets')}>
        <option value="all">{t('all rules')}</option>
        <option value="any">{t('any of the rules')}</option>
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
  const value = { name: `rules.${at}.value`, label: t('Value, rule {number}', { number }) } as const;
  return (
    <div className="rule">
      <Select
        {...field}
        label={t('What, rule {number}', { number })}
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
      <Field.Choice name={`rules.${at}.operator`} label={t('How, rule {number}', { number })}>
        {OPERATORS[field.value].map((each) => (
          <option key={each} value={each}>
            {OPERATOR_NAMES[each]}
          </option>
        ))}
      </Field.Choice>
      {field.value === 'in_stock' ? (
        <Field.Choice {...value}>
          <option value="true">{t('yes')}</option>
          <option value="false">{t('no')}</option>
        </Field.Choice>
      ) : field.value === 'price' ? (
        <Field.Amount {...value} />
      ) : (
        <Field.Text {...value} empty="" maxLength={255} />
      )}
      {onRemove && (
        <Button aria-label={t('Remove rule {number}', { number })} onClick={onRemove}>
          ×
        </Button>
      )}
    </div>
  );
}
