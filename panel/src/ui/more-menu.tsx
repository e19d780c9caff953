import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';
import './more-menu.css';

/**
 * A button that shows further actions below it. The list closes on Escape, after a press elsewhere, and once an action
 * is chosen. On Escape and before an action, the focus moves to the button, so that a dialog of the action returns it
 * there.
 */
export function MoreMenu({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const closeIfOutside = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeIfOutside);
    document.addEventListener('focusin', closeIfOutside);
    return () => {
      document.removeEventListener('pointerdown', closeIfOutside);
      document.removeEventListener('focusin', closeIfOutside);
    };
  }, [open]);
  const close = () => {
    button.current?.focus();
    setOpen(false);
  };
  const moveByKey = (event: KeyboardEvent<HTMLDivElement>) => {
    if (!open) return;
    if (event.key === 'Escape') return close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.more-list :is(a, button)')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(Math.max(at, step < 0 ? 0 : -1) + step + items.length) % items.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the button and the actions in it.
    <div className="more" ref={box} onKeyDown={moveByKey}>
      <Button ref={button} aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
        {t('More')}
        <span className="more-arrow" aria-hidden="true" />
      </Button>
      {open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: presses of the actions in it close the menu.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the actions are buttons, whose keys are clicks.
        <div className="more-list" id={id} onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}
