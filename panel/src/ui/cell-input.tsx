import type { ComponentProps } from 'react';
import './cell-input.css';

/** An editable table cell. Its label for screen readers contains the row. */
export function CellInput({
  label,
  error,
  ...input
}: { label: string; error: string | undefined } & ComponentProps<'input'>) {
  return (
    <span className="cell-input">
      <input {...input} aria-label={label} aria-invalid={error ? true : undefined} />
      {error && <span className="error">{error}</span>}
    </span>
  );
}
