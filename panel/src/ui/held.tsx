import { type ComponentPropsWithoutRef, type RefObject, useLayoutEffect, useRef } from 'react';
import './held.css';

/**
 * A form that is locked during a save, because input would be lost when the response replaces it. Fields outside of a
 * form use `Held`.
 */
export function Form({ busy, ...form }: Omit<ComponentPropsWithoutRef<'form'>, 'className'> & { busy: boolean }) {
  const box = useRef<HTMLFormElement>(null);
  useFocusKept(box, busy);
  return <form {...form} ref={box} className="held" inert={busy} />;
}

/** Locks fields outside of a form, like Form. */
export function Held({ busy, className = '', ...rest }: ComponentPropsWithoutRef<'div'> & { busy: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useFocusKept(box, busy);
  return <div {...rest} ref={box} className={`held ${className}`} inert={busy} />;
}

/** Browsers remove the focus from inert elements. Restores it, unless the user has moved it. */
function useFocusKept(box: RefObject<HTMLElement | null>, busy: boolean): void {
  const kept = useRef<HTMLElement>(undefined);
  useLayoutEffect(() => {
    const now = document.activeElement;
    if (busy) {
      kept.current = now instanceof HTMLElement && box.current?.contains(now) ? now : undefined;
      return;
    }
    if (kept.current && (!now || now === document.body || now.contains(kept.current))) {
      const { current: before } = kept;
      // If React has replaced the field's element, the submit button gets the focus.
      const next = before.isConnected ? before : box.current?.querySelector<HTMLElement>('[type="submit"]');
      next?.focus();
    }
    kept.current = undefined;
  }, [box, busy]);
}
