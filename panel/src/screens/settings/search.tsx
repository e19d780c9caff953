import { useFieldArray } from 'react-hook-form';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field, type Settings, SettingsForm, useSetting } from './settings-form.tsx';

export function SearchSettings() {
  return <SettingsForm title={t('Synonyms')}>{() => <Synonyms />}</SettingsForm>;
}

function Synonyms() {
  const { fields, append, remove } = useFieldArray<Settings, 'search_synonyms'>({ name: 'search_synonyms' });
  const entries = useSetting('search_synonyms');
  return (
    <>
      <p className="quiet-text">
        {t(
          'A search for the word also finds products with the others, a little further down. It works in one direction: for both, add two entries.',
        )}
      </p>
      <ol className="rows" aria-label={t('Synonyms')}>
        {fields.map(({ id }, i) => (
          <li key={id}>
            <Field.Text name={`search_synonyms.${i}.term`} label={t('Word')} required />
            <Field.Words name={`search_synonyms.${i}.synonyms`} label={t('Others, with commas')} />
            <Button aria-label={t('Remove {term}', { term: entries[i]?.term })} onClick={() => remove(i)}>
              {t('Remove')}
            </Button>
          </li>
        ))}
      </ol>
      <Button onClick={() => append({ term: '', synonyms: [] }, { shouldFocus: false })}>{t('Add a word')}</Button>
    </>
  );
}
