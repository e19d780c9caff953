import { t } from '../language/texts.ts';
import './chips.css';

export interface FilterChip {
  name: string;
  text: string;
}

/** The active filters of a list, each with a button that removes it. */
export function FilterChips({ chips, onRemove }: { chips: FilterChip[]; onRemove: (names: string[]) => void }) {
  if (chips.length === 0) return null;
  return (
    <div className="filter-chips">
      <ul className="chips" aria-label={t('Active filters')}>
        {chips.map(({ name, text }) => (
          <li key={name}>
            {text}
            <button type="button" aria-label={t('Remove the filter {text}', { text })} onClick={() => onRemove([name])}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {chips.length > 1 && (
        <button type="button" className="button quiet" onClick={() => onRemove(chips.map(({ name }) => name))}>
          {t('Remove all')}
        </button>
      )}
    </div>
  );
}
