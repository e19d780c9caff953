import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { t } from '../language/texts.ts';
import { endSession, useMe } from '../session/use-me.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { toastError } from '../ui/toasts.tsx';
import { Menu } from './menu.tsx';
import { useShortcuts, withCtrl } from './shortcuts.ts';
import { useShopSettings } from './use-shop.ts';

type Overlay = ComponentType<{ onClose: () => void; onHelp: () => void }>;

const loadPalette = async (): Promise<Overlay> => (await import('./palette/palette.tsx')).Palette;
const loadHelp = async (): Promise<Overlay> => (await import('./shortcuts-help.tsx')).ShortcutsHelp;

/** Layout of all screens: menu, search, current screen and logged-in user. On phones, the menu opens on demand. */
export function Shell({ children }: { children: ReactNode }) {
  const { merchant, staff } = useMe();
  const [location] = useLocation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { overlay: Overlay, show, close } = useOverlay();
  const search = () => show(loadPalette);
  const help = () => show(loadHelp);
  useShortcuts({ palette: search, help });

  // Moves the focus to the new screen, as a browser does for a new page. When the panel opens, the browser sets the
  // focus.
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    setOpen(false);
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [location]);

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
          <Icon name="menu" /> {t('Menu')}
        </button>
        <ShopName name={merchant.name} />
        <button type="button" className="menu-button" aria-label={t('Search everything')} onClick={search}>
          <Icon name="search" />
        </button>
      </header>
      <nav id="menu" className={open ? 'menu open' : 'menu'} aria-label={t('Panel')}>
        <ShopName name={merchant.name} />
        <button type="button" className="search-button" aria-keyshortcuts={'Control+K Meta+K'} onClick={search}>
          <Icon name="search" /> <span>{t('Search')}</span> <kbd>{withCtrl('K')}</kbd>
        </button>
        <Menu />
        <div className="who">
          <Link to="/account">{staff.name || staff.email}</Link>
          <Button kind="quiet" onClick={() => void endSession().catch(toastError)}>
            {t('Log out')}
          </Button>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      {Overlay && <Overlay onClose={close} onHelp={help} />}
    </div>
  );
}

function ShopName({ name }: { name: string }) {
  const logo = useShopSettings().data?.brand.logo_url;
  return (
    <p className="shop-name">
      {logo && <img src={logo} alt="" />}
      <span>{name}</span>
    </p>
  );
}

/** The search or the help above the screen. The search is loaded after two seconds, the help on first use. */
function useOverlay() {
  const [overlay, setOverlay] = useState<Overlay>();
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => {}), PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const show = (load: () => Promise<Overlay>) =>
    load().then(
      (part) => setOverlay(() => part),
      () => toastError(new Error(t('The search could not be loaded. Check the connection and reload the page.'))),
    );
  return { overlay, show: (load: () => Promise<Overlay>) => void show(load), close: () => setOverlay(undefined) };
}

const PRELOAD_AFTER_MS = 2_000;
