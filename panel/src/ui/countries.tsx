import { useId, useMemo, useState } from 'react';
import { panelLanguage, t } from '../language/texts.ts';
import { Button } from './button.tsx';

/** Country codes that the API accepts (`Country` in the contract). */
const codes =
  /^(?:A[DEFGILMOQRSTUWXZ]|B[ABDEFGHIJLMNOQRSTVWYZ]|C[ACDFGHIKLMNORUVWXYZ]|D[EJKMOZ]|E[CEGHRST]|F[IJKMOR]|G[ABDEFGHILMNPQRSTUWY]|H[KMNRTU]|I[DELMNOQRST]|J[EMOP]|K[EGHIMNPRWYZ]|L[ABCIKRSTUVY]|M[ACDEFGHKLMNOPQRSTUVWXYZ]|N[ACEFGILOPRUZ]|OM|P[AEFGHKLMNRSTWY]|QA|R[EOSUW]|S[ABCDEGHIJKLMNORSTVXYZ]|T[CDFGHJKLMNORTVWZ]|U[AGMSYZ]|V[ACEGINU]|W[FS]|XK|Y[ET]|Z[AMW])$/;

const names = new Intl.DisplayNames([panelLanguage()], { type: 'region' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** All countries as [code, name], sorted by name. */
const countries = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => codes.test(code))
  .map((code): [string, string] => [code, countryName(code)])
  .sort(([, one], [, other]) => one.localeCompare(other));

export function countryName(code: string): string {
  return names.of(code) ?? code;
}

export function CountryOptions() {
  return countries.map(([code, name]) => (
    <option key={code} value={code}>
      {name}
    </option>
  ));
}

/** A field for a set of countries, which are added from a list and can be removed. */
export function CountriesField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: readonly string[];
  onChange: (countries: string[]) => void;
}) {
  const id = useId();
  const [next, setNext] = useState('');
  const sorted = useMemo(() => [...value].sort((a, b) => countryName(a).localeCompare(countryName(b))), [value]);
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {hint && <p className="hint">{hint}</p>}
      <ul className="chips">
        {sorted.map((code) => (
          <li key={code}>
            {countryName(code)}
            <button
              type="button"
              className="close"
              aria-label={t('Remove {code}', { code: countryName(code) })}
              onClick={() => onChange(value.filter((each) => each !== code))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div className="inline">
        <label className="unseen" htmlFor={id}>
          {t('Country to add')}
        </label>
        <select id={id} value={next} onChange={(event) => setNext(event.target.value)}>
          <option value="">{t('Choose a country')}</option>
          <CountryOptions />
        </select>
        <Button
          disabled={next === '' || value.includes(next)}
          onClick={() => {
            onChange([...value, next]);
            setNext('');
          }}
        >
          {t('Add')}
        </Button>
      </div>
    </fieldset>
  );
}
