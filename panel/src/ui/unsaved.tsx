import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { t } from '../language/texts.ts';
import { Confirm } from './dialog.tsx';

/**
 * Asks before the user leaves unsaved changes: through the panel's links, the back button, or by closing the window.
 */
export function UnsavedGuard({
  dirty,
  title = t('Leave without saving?'),
  action = t('Leave without saving'),
  children = t('Your changes are not saved yet.'),
}: {
  dirty: boolean;
  /** Replaces the default title for a part of the screen that is not a form. */
  title?: string;
  action?: string;
  children?: ReactNode;
}) {
  const [leave, setLeave] = useState<() => void>();
  const [, navigate] = useLocation();
  const open = useRef(true);
  open.current = !dirty;

  useEffect(() => {
    if (!dirty) return;
    const here = window.location.href;
    const onClose = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = pathOfLink(event);
      if (link === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      setLeave(() => () => navigate(link));
    };
    // Runs before the router handles the event. Restores this screen's URL and asks.
    const onBack = (event: PopStateEvent) => {
      if (open.current) return;
      event.stopImmediatePropagation();
      window.history.pushState(null, '', here);
      setLeave(() => () => window.history.back());
    };
    window.addEventListener('beforeunload', onClose);
    document.addEventListener('click', onClick, { capture: true });
    window.addEventListener('popstate', onBack, { capture: true });
    return () => {
      window.removeEventListener('beforeunload', onClose);
      document.removeEventListener('click', onClick, { capture: true });
      window.removeEventListener('popstate', onBack, { capture: true });
    };
  }, [dirty, navigate]);

  return (
    <Confirm
      open={leave !== undefined}
      onClose={() => setLeave(undefined)}
      onConfirm={() => {
        open.current = true;
        setLeave(undefined);
        leave?.();
      }}
      title={title}
      action={action}
    >
      <p>{children}</p>
    </Confirm>
  );
}

/** The path to which a plain click on a link opens another screen of the panel; undefined for any other click. */
function pathOfLink(event: MouseEvent): string | undefined {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
  const link = (event.target as Element).closest('a');
  if (!link || link.target === '_blank' || link.origin !== window.location.origin) return undefined;
  if (link.pathname === window.location.pathname || !link.pathname.startsWith('/panel')) return undefined;
  return `${link.pathname.slice('/panel'.length) || '/'}${link.search}`;
}
