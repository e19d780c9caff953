import { useState } from 'react';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { TextField } from '../../ui/field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { nameOf, PERIODS, type Period, type PeriodName } from './period.ts';

/** Chooses the period of the figures with one click, or a custom range. The choice is stored in the URL. */
export function PeriodChoice({ from, to, name }: Period & { name: PeriodName | undefined }) {
  const [, change] = useSearchState();
  return (
    <fieldset className="periods">
      <legend className="unseen">{t('Period')}</legend>
      {PERIODS.map((each) => (
        <button
          key={each}
          type="button"
          className="period"
          aria-pressed={each === name}
          onClick={() => change({ period: each, from: '', to: '' })}
        >
          {nameOf(each)}
        </button>
      ))}
      <button
        type="button"
        className="period"
        aria-pressed={name === undefined}
        onClick={() => change({ period: '', from, to })}
      >
        {t('Own range')}
      </button>
      {name === undefined && <OwnRange key={`${from} ${to}`} from={from} to={to} />}
    </fieldset>
  );
}

/**
 * A custom range of two days. A day applies once the date is complete. If the range would be reversed, the other day
 * moves too.
 */
function OwnRange({ from, to }: Period) {
  const [, change] = useSearchState();
  const { timeZone } = useFormat();
  const [typed, setTyped] = useState({ from, to });
  const apply = (next: Period, valid: boolean, moved: keyof Period) => {
    setTyped(next);
    if (!valid || !next.from || !next.to) return;
    const swapped = moved === 'from' ? next.from : next.to;
    change(next.from > next.to ? { from: swapped, to: swapped } : { ...next });
  };
  return (
    <div className="own-range" title={timeZone}>
      <TextField
        label={t('First day')}
        type="date"
        min="1970-01-01"
        max="2999-12-31"
        value={typed.from}
        onChange={({ target }) => apply({ ...typed, from: target.value }, target.validity.valid, 'from')}
      />
      <TextField
        label={t('Last day')}
        type="date"
        min="1970-01-01"
        max="2999-12-31"
        value={typed.to}
        onChange={({ target }) => apply({ ...typed, to: target.value }, target.validity.valid, 'to')}
      />
    </div>
  );
}
