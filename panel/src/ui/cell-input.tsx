import type { ComponentProps } from 'react';
import './cell-input.css';

/** A cell that is typed in. Its heading is the column's; screen readers hear the row as well. */
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
