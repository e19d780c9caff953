import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { t } from '../language/texts.ts';
import { endSession, useMe } from '../session/use-me.ts';
import { Button } from '../ui/button.tsx';
import { toastError } from '../ui/toasts.tsx';
import { sections } from './sections.ts';

/** Layout of all screens: menu, current screen and logged-in user. On phones, the menu opens on demand. */
export function Shell({ children }: { children: ReactNode }) {
  const { merchant, staff, scopes } = useMe();
  const [location] = useLocation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const [screen] = useScreen(location);

  // Moves the focus to the new screen, as a browser does for a new page.
  useEffect(() => {
    if (screen === undefined) return;
    setOpen(false);
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [screen]);

  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t('Skip to content')}
      </a>
      <header className="top">
        <button
          type="button"
          className="menu-button"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden="true">☰</span> Menu
        </button>
        <span className="shop-name">{merchant.name}</span>
      </header>
      <nav id="menu" className={open ? 'menu open' : 'menu'} aria-label="Panel">
        <p className="shop-name">{merchant.name}</p>
        <ul>
          {sections
            .filter(({ scope }) => scope === undefined || scopes.includes(scope))
            .map(({ path, name }) => (
              <li key={path}>
                <Link to={path} aria-current={isWithin(location, path) ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
        </ul>
        <div className="who">
          <Link to="/account">{staff.name || staff.email}</Link>
          <Button kind="quiet" onClick={() => void endSession().catch(toastError)}>
            Log out
          </Button>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function isWithin(location: string, path: string): boolean {
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
}

/** The path of the current screen; undefined for the first one, for which the browser sets the focus. */
function useScreen(location: string): [string | undefined] {
  const first = useRef(location);
  return [first.current === location ? undefined : location];
}
