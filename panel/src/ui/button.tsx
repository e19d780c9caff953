import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

/**
 * A button; `busy` shows that its work is running, and prevents a second press. It stays focusable even then:
 * browsers remove the focus from `disabled` elements, which would throw keyboard users out of their dialog.
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

/** Prevents what a press would do; pressing Enter in a field of the form triggers this, too. */
function swallow(event: MouseEvent): void {
  event.preventDefault();
}

/** A link to another screen that looks like a button. */
export function LinkButton({ to, kind = 'plain', children }: { to: string; kind?: Kind; children: ReactNode }) {
  return (
    <Link to={to} className={`button ${kind}`}>
      {children}
    </Link>
  );
}
