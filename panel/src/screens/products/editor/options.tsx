import { useEffect, useState } from 'react';
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { useFormat } from '../../../format.ts';
import { t, tn } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Chips } from '../../../ui/chips.tsx';
import { Card } from '../../../ui/page.tsx';
import {
  allVariants,
  combinationsOf,
  MOST_VARIANTS,
  missingCombinations,
  usedOptions,
  variantsOf,
} from './combinations.ts';
import { Field, type OptionDraft, type ProductDraft } from './draft.ts';

const MOST_OPTIONS = 3;

/** The product's options, such as size and colour, and the resulting variants. */
export function Options({ isNew }: { isNew: boolean }) {
  const { clearErrors, getValues, setFocus, setValue } = useFormContext<ProductDraft>();
  const { append, replace } = useFieldArray<ProductDraft, 'options', 'key'>({ name: 'options', keyName: 'key' });
  const options = useWatch<ProductDraft, 'options'>({ name: 'options' });
  /** `before` contains the earlier state of each option by index. */
  const write = (next: OptionDraft[], before: (OptionDraft | undefined)[]) => {
    const variants = variantsOf({ options, variants: getValues('variants') }, next, before);
    replace(next);
    // A new product gets all variants at once. A stored product may lack some variants on purpose.
    const draft = { options: next, variants };
    const count = combinationsOf(usedOptions(draft)).length;
    setValue('variants', isNew && count <= MOST_VARIANTS ? allVariants(draft) : variants);
    // Errors name variants by index, which has changed.
    clearErrors('variants');
  };
  const [added, setAdded] = useState(-1);
  // Sets the focus after React has rendered the new field.
  useEffect(() => {
    if (added < 0 || added >= options.length) return;
    setFocus(`options.${added}.name`);
    setAdded(-1);
  }, [added, options.length, setFocus]);
  const add = () => {
    append({ name: '', values: [] }, { shouldFocus: false });
    setAdded(options.length);
  };
  return (
    <Card
      title={t('Options')}
      actions={options.length < MOST_OPTIONS && <Button onClick={add}>{t('Add an option')}</Button>}
    >
      {options.length === 0 && (
        <p className="hint">
          {t('For sizes, colours and the like: each combination gets its own price, SKU and stock.')}
        </p>
      )}
      <ul className="stack">
        {options.map((option, i) => (
          // The index is the key. The library's key changes with each edit, and the field would lose the focus.
          <li key={i} className="option-row">
            <Field.Text
              name={`options.${i}.name`}
              label={t('Option {i}', { i: i + 1 })}
              placeholder={['Size', 'Colour', 'Material'][i]}
              empty=""
              maxLength={255}
            />
            <Chips
              name={`options.${i}.values`}
              label={t('Values of {name}', { name: option.name || t('option {i}', { i: i + 1 }) })}
              hint={t('Such as S, M, L: separated by commas, then Enter.')}
              values={option.values ?? []}
              onChange={(values) => write(options.with(i, { ...option, values }), options)}
            />
            <Button
              aria-label={t('Remove {name}', { name: option.name || t('option {i}', { i: i + 1 }) })}
              onClick={() => {
                const left = options.filter((_, at) => at !== i);
                write(left, left);
              }}
            >
              {t('Remove')}
            </Button>
          </li>
        ))}
      </ul>
      <Missing options={options} />
    </Card>
  );
}

/** Shows the number of variants, such as "3 × 4 = 12 variants", and a button that creates missing ones. */
function Missing({ options }: Pick<ProductDraft, 'options'>) {
  const { counted, number } = useFormat();
  const { clearErrors, setValue } = useFormContext<ProductDraft>();
  const draft = { options, variants: useWatch<ProductDraft, 'variants'>({ name: 'variants' }) };
  const used = usedOptions(draft);
  const missing = missingCombinations(draft).length;
  if (used.length === 0) return null;
  const all = combinationsOf(used).length;
  const create = () => {
    setValue('variants', allVariants(draft));
    clearErrors('variants');
  };
  const sum = `${used.map(({ values = [] }) => number(values.length)).join(' × ')} = ${counted(all, '{count} variant', '{count} variants')}`;
  if (all > MOST_VARIANTS) {
    return (
      <p className="error">
        {t('{sum}. The editor makes at most {MOST_VARIANTS}: leave out some values, or import the product.', {
          sum,
          MOST_VARIANTS,
        })}
      </p>
    );
  }
  return (
    <div className="missing">
      <p>{used.length > 1 || missing > 0 ? `${sum}.` : `${counted(all, '{count} variant', '{count} variants')}.`}</p>
      {missing > 0 && (
        <Button kind="primary" onClick={create}>
          {missing === all - 1
            ? t('Create all {count}', { count: counted(all, '{count} variant', '{count} variants') })
            : t('Create the {which}', {
                which: tn(missing, 'missing variant', '{missing} missing variants', { missing: number(missing) }),
              })}
        </Button>
      )}
    </div>
  );
}
