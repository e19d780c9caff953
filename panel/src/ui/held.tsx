import { type ComponentPropsWithoutRef, type RefObject, useLayoutEffect, useRef } from 'react';
import './held.css';

/**
 * What is being saved is held still: nothing can be typed, pressed or dropped there until the answer is known, for what comes
 * after the save began would be lost when the answer takes its place. Every form and every editor of the panel is one of these.
 */
export function Form({ busy, ...form }: Omit<ComponentPropsWithoutRef<'form'>, 'className'> & { busy: boolean }) {
  const box = useRef<HTMLFormElement>(null);
  useFocusKept(box, busy);
  return <form {...form} ref={box} className="held" inert={busy} />;
}

/** The same around fields that are no form. */
export function Held({ busy, className = '', ...rest }: ComponentPropsWithoutRef<'div'> & { busy: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useFocusKept(box, busy);
  return <div {...rest} ref={box} className={`held ${className}`} inert={busy} />;
}

/** Browsers take the focus from what is inert. Whoever works by keyboard gets it back, unless it has gone elsewhere meanwhile. */
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
      // A field that was drawn anew is another one: then the button that sent it.
      const next = before.isConnected ? before : box.current?.querySelector<HTMLElement>('[type="submit"]');
      next?.focus();
    }
    kept.current = undefined;
  }, [box, busy]);
}
