import type { ComponentProps } from 'react';
import './cell-input.css';

/** An editable cell. The column's heading labels it; screen readers also get the row. */
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
