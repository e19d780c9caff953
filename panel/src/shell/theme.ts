import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

/** `public/assets/theme-1.js` reads this key before the first paint. */
const KEY = 'panel-theme';

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** The colours that the user has chosen in this browser. */
export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // If the browser allows no storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}

/** Whether the colours are dark, for drawings that do not use CSS. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => {
    const theme = chosenTheme();
    return theme === 'system' ? darkSystem.matches : theme === 'dark';
  });
}

/** The current value of one of the colours in styles.css, such as `--ink`, for drawings that do not use CSS. */
export function colourOf(name: `--${string}`): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  darkSystem.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    darkSystem.removeEventListener('change', listener);
  };
}
