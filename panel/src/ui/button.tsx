import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

/**
 * A button; `busy` shows that its work goes on, and keeps it from being pressed twice. One that cannot be pressed keeps the focus:
 * browsers take it from what is `disabled`, and whoever works by keyboard would be thrown out of the dialog that they are in.
 */
export function Button({
  kind = 'plain',
  busy = false,
  type = 'button',
  disabled = false,
  onClick,
  children,
  ...rest
}: ComponentProps<'button'> & { kind?: Kind; busy?: boolean }) {
  const isOff = disabled || busy;
  return (
    <button
      {...rest}
      type={type}
      className={`button ${kind}`}
      onClick={isOff ? swallow : onClick}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

/** Enter in a field of the form comes here as well. */
function swallow(event: MouseEvent): void {
  event.preventDefault();
}

/** A link that looks like a button, for what leads to another screen. */
export function LinkButton({ to, kind = 'plain', children }: { to: string; kind?: Kind; children: ReactNode }) {
  return (
    <Link to={to} className={`button ${kind}`}>
      {children}
    </Link>
  );
}
