import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

/**
 * A button. While `busy`, it shows that its work is running and ignores presses. It stays focusable, because browsers
 * remove the focus from `disabled` elements, which would move keyboard users out of a dialog.
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

/** Stops the effect of a press, including a press of Enter in a field of the form. */
function swallow(event: MouseEvent): void {
  event.preventDefault();
}

/** A link that looks like a button. */
export function LinkButton({ to, kind = 'plain', children }: { to: string; kind?: Kind; children: ReactNode }) {
  return (
    <Link to={to} className={`button ${kind}`}>
      {children}
    </Link>
  );
}
