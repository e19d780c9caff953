import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

/** A button; `busy` shows that its work goes on, and keeps it from being pressed twice. */
export function Button({
  kind = 'plain',
  busy = false,
  type = 'button',
  disabled,
  children,
  ...rest
}: ComponentProps<'button'> & { kind?: Kind; busy?: boolean }) {
  return (
    <button
      {...rest}
      type={type}
      className={`button ${kind}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

/** A link that looks like a button, for what leads to another screen. */
export function LinkButton({ to, kind = 'plain', children }: { to: string; kind?: Kind; children: ReactNode }) {
  return (
    <Link to={to} className={`button ${kind}`}>
      {children}
    </Link>
  );
}
