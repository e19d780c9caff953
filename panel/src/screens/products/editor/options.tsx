import { useFormat } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { Chips } from '../../../ui/chips.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Card } from '../../../ui/page.tsx';
import {
  combinationsOf,
  MOST_VARIANTS,
  missingCombinations,
  usedOptions,
  withAllCombinations,
  withOptions,
} from './combinations.ts';
import type { PartProps } from './details.tsx';
import { newKey, type OptionDraft } from './draft.ts';

const MOST_OPTIONS = 3;

/** What customers choose from, such as size and colour, and the variants that come of it. */
export function Options({ draft, onChange, errorOf }: PartProps) {
  const { options } = draft;
  const write = (next: OptionDraft[]) => onChange(withOptions(draft, next));
  const change = (key: string, changes: Partial<OptionDraft>) =>
    write(options.map((option) => (option.key === key ? { ...option, ...changes } : option)));
  return (
    <Card
      title="Options"
      actions={
        options.length < MOST_OPTIONS && (
          <Button onClick={() => write([...options, { key: newKey(), name: '', values: [] }])}>Add an option</Button>
        )
      }
    >
      {options.length === 0 && (
        <p className="hint">For sizes, colours and the like: each combination gets its own price, SKU and stock.</p>
      )}
      <ul className="stack">
        {options.map((option, i) => (
          <li key={option.key} className="option-row">
            <TextField
              label={`Option ${i + 1}`}
              placeholder={['Size', 'Colour', 'Material'][i]}
              value={option.name}
              maxLength={255}
              error={errorOf(`options.${i}.name`)}
              onChange={(event) => change(option.key, { name: event.target.value })}
            />
            <Chips
              label={`Values of ${option.name || `option ${i + 1}`}`}
              hint="Enter or a comma adds one."
              values={option.values}
              onChange={(values) => change(option.key, { values })}
            />
            <Button
              aria-label={`Remove ${option.name || `option ${i + 1}`}`}
              onClick={() => write(options.filter(({ key }) => key !== option.key))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <Missing draft={draft} onChange={onChange} />
    </Card>
  );
}

/** "3 × 4 = 12 variants", and the way to have them all at once. */
function Missing({ draft, onChange }: Pick<PartProps, 'draft' | 'onChange'>) {
  const { counted, number } = useFormat();
  const options = usedOptions(draft);
  const missing = missingCombinations(draft).length;
  if (options.length === 0) return null;
  const all = combinationsOf(options).length;
  const sum = `${options.map(({ values }) => number(values.length)).join(' × ')} = ${counted(all, 'variant')}`;
  if (all > MOST_VARIANTS) {
    return (
      <p className="error">
        {sum}. A product has at most {MOST_VARIANTS}: leave out some values, or make two products of it.
      </p>
    );
  }
  return (
    <div className="missing">
      <p>{options.length > 1 || missing > 0 ? `${sum}.` : `${counted(all, 'variant')}.`}</p>
      {missing > 0 && (
        <Button kind="primary" onClick={() => onChange(withAllCombinations(draft))}>
          {missing === all - 1
            ? `Create all ${counted(all, 'variant')}`
            : `Create the ${missing === 1 ? 'missing variant' : `${number(missing)} missing variants`}`}
        </Button>
      )}
    </div>
  );
}
