import type { CollectionSortOrder } from '@commerce-backend/spec';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { Card } from '../../ui/page.tsx';
import { PictureUpload } from '../../ui/picture-upload.tsx';
import {
  type CollectionDraft,
  FIELD_NAMES,
  newRule,
  OPERATOR_NAMES,
  OPERATORS,
  type RuleDraft,
  SORT_ORDERS,
} from './draft.ts';

export interface FieldsProps {
  draft: CollectionDraft;
  onChange: (changes: Partial<CollectionDraft>) => void;
  errorOf: (field: string) => string | undefined;
}

/** What the collection is called, and how it looks. */
export function CollectionWords({
  draft,
  onChange,
  errorOf,
  onUploading,
}: FieldsProps & { onUploading: (waiting: number) => void }) {
  return (
    <Card>
      <TextField
        label="Title"
        required
        maxLength={255}
        value={draft.title}
        error={errorOf('title')}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextArea
        label="Description"
        value={draft.description}
        error={errorOf('description')}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <TextField
        label="Address of the picture"
        placeholder="https://"
        inputMode="url"
        maxLength={2048}
        value={draft.image_url}
        error={errorOf('image_url')}
        onChange={(event) => onChange({ image_url: event.target.value })}
      />
      <PictureUpload
        label="Or upload a picture"
        onUploaded={(image_url) => onChange({ image_url })}
        onUploading={onUploading}
      />
      {/^https?:\/\/\S+$/.test(draft.image_url) && <img className="collection-picture" src={draft.image_url} alt="" />}
    </Card>
  );
}

export function CollectionShowing({ draft, onChange, errorOf }: FieldsProps) {
  const orders = Object.entries(SORT_ORDERS).filter(([order]) => draft.type === 'manual' || order !== 'manual');
  return (
    <Card title="In the shop">
      <Checkbox
        label="Shown in the shop"
        checked={draft.published}
        onChange={(event) => onChange({ published: event.target.checked })}
      />
      <Select
        label="Order of the products"
        value={draft.sort_order}
        error={errorOf('sort_order')}
        onChange={(event) => onChange({ sort_order: event.target.value as CollectionSortOrder })}
      >
        {orders.map(([order, name]) => (
          <option key={order} value={order}>
            {name}
          </option>
        ))}
      </Select>
      <TextField
        label="Address in the shop"
        hint="Made from the title when left empty."
        value={draft.handle}
        error={errorOf('handle')}
        onChange={(event) => onChange({ handle: event.target.value })}
      />
    </Card>
  );
}

/** What a product must be like to be in the collection. */
export function Rules({ draft, onChange, errorOf }: FieldsProps) {
  const { rules } = draft;
  const write = (key: string, changes: Partial<RuleDraft>) =>
    onChange({ rules: rules.map((rule) => (rule.key === key ? { ...rule, ...changes } : rule)) });
  return (
    <Card
      title="Rules"
      actions={<Button onClick={() => onChange({ rules: [...rules, newRule()] })}>Add a rule</Button>}
    >
      <Select
        label="A product belongs here when it meets"
        value={draft.rules_match}
        onChange={(event) => onChange({ rules_match: event.target.value === 'any' ? 'any' : 'all' })}
      >
        <option value="all">all rules</option>
        <option value="any">any of the rules</option>
      </Select>
      <ul className="stack">
        {rules.map((rule, i) => (
          <li key={rule.key}>
            <Rule
              rule={rule}
              number={i + 1}
              error={errorOf(`rules.${i}.value`) ?? errorOf(`rules.${i}.operator`) ?? errorOf(`rules.${i}`)}
              onChange={(changes) => write(rule.key, changes)}
              onRemove={
                rules.length > 1 ? () => onChange({ rules: rules.filter(({ key }) => key !== rule.key) }) : undefined
              }
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Rule({
  rule,
  number,
  error,
  onChange,
  onRemove,
}: {
  rule: RuleDraft;
  number: number;
  error: string | undefined;
  onChange: (changes: Partial<RuleDraft>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { field, operator, value } = rule;
  return (
    <div className="rule">
      <Select
        label={`What, rule ${number}`}
        value={field}
        onChange={(event) => {
          const next = event.target.value as RuleDraft['field'];
          const [first = 'equals'] = OPERATORS[next];
          onChange({ field: next, operator: first, value: next === 'in_stock' ? 'true' : '' });
        }}
      >
        {Object.entries(FIELD_NAMES).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={`How, rule ${number}`}
        value={operator}
        onChange={(event) => onChange({ operator: event.target.value as RuleDraft['operator'] })}
      >
        {OPERATORS[field].map((each) => (
          <option key={each} value={each}>
            {OPERATOR_NAMES[each]}
          </option>
        ))}
      </Select>
      {field === 'in_stock' ? (
        <Select
          label={`Value, rule ${number}`}
          value={value}
          onChange={(event) => onChange({ value: event.target.value })}
        >
          <option value="true">yes</option>
          <option value="false">no</option>
        </Select>
      ) : field === 'price' ? (
        <AmountField
          label={`Value, rule ${number}`}
          value={value}
          error={error}
          onValue={(amount) => onChange({ value: amount })}
        />
      ) : (
        <TextField
          label={`Value, rule ${number}`}
          value={value}
          maxLength={255}
          error={error}
          onChange={(event) => onChange({ value: event.target.value })}
        />
      )}
      {onRemove && (
        <Button aria-label={`Remove rule ${number}`} onClick={onRemove}>
          ×
        </Button>
      )}
    </div>
  );
}
