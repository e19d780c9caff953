import { fieldError } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { WordsField } from './list-field.tsx';
import { SettingsForm } from './use-settings.tsx';

export function SearchSettings() {
  return (
    <SettingsForm title="Words that mean the same" fields={['search_synonyms']}>
      {({ draft: { search_synonyms: entries }, set, error }) => (
        <>
          <p className="quiet-text">
            A search for the word also finds products with the others, a little further down. It works in one direction:
            for both, add two entries.
          </p>
          <ol className="rows" aria-label="Synonyms">
            {entries.map((entry, i) => (
              // By position: rows have no id, and are only added at the end.
              <li key={i}>
                <TextField
                  label="Word"
                  value={entry.term}
                  onChange={(event) =>
                    set({ search_synonyms: replaced(entries, i, { ...entry, term: event.target.value }) })
                  }
                  error={fieldError(error, `search_synonyms.${i}.term`)}
                  required
                />
                <WordsField
                  label="Others, with commas"
                  value={entry.synonyms}
                  onChange={(synonyms) => set({ search_synonyms: replaced(entries, i, { ...entry, synonyms }) })}
                  error={fieldError(error, `search_synonyms.${i}.synonyms`)}
                />
                <Button
                  aria-label={`Remove ${entry.term}`}
                  onClick={() => set({ search_synonyms: entries.filter((_, at) => at !== i) })}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ol>
          <Button onClick={() => set({ search_synonyms: [...entries, { term: '', synonyms: [] }] })}>Add a word</Button>
        </>
      )}
    </SettingsForm>
  );
}

function replaced<Item>(items: readonly Item[], at: number, item: Item): Item[] {
  return items.map((each, i) => (i === at ? item : each));
}
