import { type ComponentPropsWithoutRef, type RefObject, useLayoutEffect, useRef } from 'react';
import './held.css';

/**
 * Locks the form during a save: nothing can be typed, pressed or dropped there until the response arrives, because later input
 * would be lost when the response replaces it. Every form and every editor of the panel is one of these.
 */
export function Form({ busy, ...form }: Omit<ComponentPropsWithoutRef<'form'>, 'className'> & { busy: boolean }) {
  const box = useRef<HTMLFormElement>(null);
  useFocusKept(box, busy);
  return <form {...form} ref={box} className="held" inert={busy} />;
}

/** Locks fields that are not in a form, in the same way as Form. */
export function Held({ busy, className = '', ...rest }: ComponentPropsWithoutRef<'div'> & { busy: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useFocusKept(box, busy);
  return <div {...rest} ref={box} className={`held ${className}`} inert={busy} />;
}

/** Browsers remove the focus from inert elements. Keyboard users get it back, unless they moved it meanwhile. */
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
      // A field that was rendered again is a new element. In that case the submit button gets the focus.
      const next = before.isConnected ? before : box.current?.querySelector<HTMLElement>('[type="submit"]');
      next?.focus();
    }
    kept.current = undefined;
  }, [box, busy]);
}
