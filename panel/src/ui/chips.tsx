import { type ClipboardEvent, type KeyboardEvent, useId, useState } from 'react';
import './chips.css';
import { t } from '../language/texts.ts';

/**
 * A list of short texts. Enter or a comma adds one, × removes one. Several texts can be pasted together, separated by
 * commas.
 */
export function Chips({
  label,
  name,
  hint,
  error,
  values,
  onChange,
  disabled = false,
  labelHidden = false,
}: {
  label: string;
  name?: string;
  hint?: string;
  error?: string | undefined;
  values: string[];
  onChange: (values: string[]) => void;
  disabled?: boolean;
  labelHidden?: boolean;
}) {
  const id = useId();
  const [typed, setTyped] = useState('');

  function add(text: string) {
    const next = new Set(values);
    for (const value of text.split(/[,\n\t;]/)) if (value.trim() !== '') next.add(value.trim());
    setTyped('');
    if (next.size !== values.length) onChange([...next]);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add(typed);
    } else if (event.key === 'Backspace' && typed === '' && values.length > 0) {
      onChange(values.slice(0, -1));
    }
  }

  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text');
    if (!/[,\n\t;]/.test(text)) return;
    event.preventDefault();
    add(`${typed}${text}`);
  }

  return (
    <div className="field">
      <label htmlFor={id} className={labelHidden ? 'unseen' : undefined}>
        {label}
      </label>
      {values.length > 0 && (
        <ul className="chips">
          {values.map((value) => (
            <li key={value}>
              {value}
              {!disabled && (
                <button
                  type="button"
                  aria-label={t('Remove {value}', { value })}
                  onClick={() => onChange(values.filter((other) => other !== value))}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        name={name}
        value={typed}
        disabled={disabled}
        maxLength={255}
        aria-invalid={error ? true : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => add(typed)}
      />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
