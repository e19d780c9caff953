import { t } from '../language/texts.ts';
import { useMe } from '../session/use-me.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sections } from './sections.ts';
import { withCtrl } from './shortcuts.ts';
import './shortcuts-help.css';

/** The list of the keyboard shortcuts. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const { scopes } = useMe();
  const general: [string, string][] = [
    [withCtrl('K'), t('Search everything')],
    ['/', t('Search this list')],
    [withCtrl('S'), t('Save the form')],
    [withCtrl(t('Enter')), t('Confirm a dialog')],
    [t('Esc'), t('Close a dialog')],
    ['?', t('Show these shortcuts')],
  ];
  const places = sections.filter(({ scope }) => scope === undefined || scopes.includes(scope));
  return (
    <Dialog open onClose={onClose} title={t('Keyboard shortcuts')} wide>
      <div className="shortcut-lists">
        <Keys title={t('Everywhere')} keys={general} />
        <Keys title={t('Go to')} keys={places.map(({ key, name }) => [`g ${key}`, name])} />
      </div>
      <p className="hint">{t('Keys without Ctrl can be turned off in your account.')}</p>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: [string, string][] }) {
  return (
    <section className="stack">
      <h3>{title}</h3>
      <dl className="shortcut-keys">
        {keys.map(([key, name]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              {key.split(' ').map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
