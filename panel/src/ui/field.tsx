import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps {
  label: string;
  /** Help text below the field. */
  hint?: ReactNode;
  /** Shown with the field, which is then marked as invalid. */
  error?: string | undefined;
}

/** A text input with its label, hint and error, linked for screen readers. */
export function TextField({ label, hint, error, ...input }: FieldProps & ComponentProps<'input'>) {
  const { id, describedBy } = useIds(hint, error);
  return (
    <Frame id={id} label={label} hint={hint} error={error} required={input.required}>
      <input {...input} id={id} aria-invalid={error ? true : undefined} aria-describedby={describedBy} />
    </Frame>
  );
}

export function TextArea({ label, hint, error, ...input }: FieldProps & ComponentProps<'textarea'>) {
  const { id, describedBy } = useIds(hint, error);
  return (
    <Frame id={id} label={label} hint={hint} error={error} required={input.required}>
      <textarea rows={4} {...input} id={id} aria-invalid={error ? true : undefined} aria-describedby={describedBy} />
    </Frame>
  );
}

/** The browser's own select element, which works with keyboards, screen readers and phones. */
export function Select({ label, hint, error, children, ...input }: FieldProps & ComponentProps<'select'>) {
  const { id, describedBy } = useIds(hint, error);
  return (
    <Frame id={id} label={label} hint={hint} error={error} required={input.required}>
      <select {...input} id={id} aria-invalid={error ? true : undefined} aria-describedby={describedBy}>
        {children}
      </select>
    </Frame>
  );
}

export function Checkbox({ label, hint, ...input }: Omit<FieldProps, 'error'> & ComponentProps<'input'>) {
  const { id, describedBy } = useIds(hint, undefined);
  return (
    <div className="checkbox">
      <input {...input} type="checkbox" id={id} aria-describedby={describedBy} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

function useIds(hint: ReactNode, error: string | undefined) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return { id, describedBy: describedBy || undefined };
}

function Frame({
  id,
  label,
  hint,
  error,
  required,
  children,
}: FieldProps & { id: string; required?: boolean | undefined; children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {children}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
