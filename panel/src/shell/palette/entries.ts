import { t } from '../../language/texts.ts';
import { settingsSections } from '../../screens/settings/sections.ts';
import { endSession, useMe } from '../../session/use-me.ts';
import type { IconName } from '../../ui/icon.tsx';
import { toastError } from '../../ui/toasts.tsx';
import { sections } from '../sections.ts';
import { chooseTheme, useIsDark } from '../theme.ts';

/** An entry of the palette: a screen with its path, or an action. */
export type Entry = {
  id: string;
  group: string;
  title: string;
  detail?: string | undefined;
  icon: IconName;
} & ({ to: string; run?: never } | { run: () => void; to?: never });

/** Screens, settings pages and actions that the member's role allows. */
export function useFixedEntries(onHelp: () => void): Entry[] {
  const { scopes } = useMe();
  const isDark = useIsDark();
  const allowed = ({ scope }: { scope?: string }) => scope === undefined || scopes.includes(scope);
  const making: { to: string; title: string; scope: string }[] = [
    { to: '/products/new', title: t('New product'), scope: 'products:write' },
    { to: '/drafts/new', title: t('New draft order'), scope: 'orders:write' },
    { to: '/discounts/new', title: t('New discount'), scope: 'discounts:write' },
    { to: '/collections/new', title: t('New collection'), scope: 'products:write' },
    { to: '/products/import', title: t('Import products'), scope: 'products:write' },
    { to: '/orders/statement', title: t('Match a bank statement'), scope: 'orders:write' },
  ];
  const actions = t('Actions');
  return [
    ...making.filter(allowed).map(({ to, title }): Entry => ({ id: to, group: actions, title, icon: 'add', to })),
    ...sections
      .filter(allowed)
      .map(({ path, name, icon }): Entry => ({ id: path, group: t('Go to'), title: name, icon, to: path })),
    { id: '/account', group: t('Go to'), title: t('Your account'), icon: 'customers', to: '/account' },
    ...(allowed({ scope: 'settings:read' }) ? settingsSections : [])
      .filter(allowed)
      .map(({ path, name, about }): Entry => {
        const to = `/settings/${path}`;
        return { id: to, group: t('Settings'), title: name, detail: about, icon: 'settings', to };
      }),
    {
      id: 'theme',
      group: actions,
      title: isDark ? t('Use light colours') : t('Use dark colours'),
      icon: 'action',
      run: () => chooseTheme(isDark ? 'light' : 'dark'),
    },
    { id: 'help', group: actions, title: t('Keyboard shortcuts'), icon: 'action', run: onHelp },
    {
      id: 'logout',
      group: actions,
      title: t('Log out'),
      icon: 'action',
      run: () => void endSession().catch(toastError),
    },
  ];
}

/** Whether each word of the text begins a word of the title. Short words such as "and" do not count. */
export function matchesTitle(text: string, { title }: Entry): boolean {
  return begins(text, title.replaceAll(/(?<!\p{L})\p{Ll}{1,3}(?!\p{L})/gu, ''));
}

/** Whether the text has at least 3 characters and each of its words begins a word of the title or the description. */
export function matchesDetail(text: string, { title, detail = '' }: Entry): boolean {
  return text.length >= LEAST_OF_DETAIL && begins(text, `${title} ${detail}`);
}

const LEAST_OF_DETAIL = 3;

function begins(text: string, title: string): boolean {
  const words = wordsOf(title);
  return wordsOf(text).every((typed) => words.some((word) => word.startsWith(typed)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
