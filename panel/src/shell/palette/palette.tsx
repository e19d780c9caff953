import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { inWords } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Entry, matchesDetail, matchesTitle, useFixedEntries } from './entries.ts';
import './palette.css';
import { useDelayed, useFound } from './use-found.ts';

const WAIT_MS = 150;
const MOST_FIXED = 6;
const LIST = 'palette-list';

/** Searches orders, customers, products, screens and actions from any screen. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [typed, setTyped] = useState('');
  const { entries, isReady, isCurrent, error } = useEntries(typed.trim(), onHelp);
  const [chosen, setChosen] = useState<string>();
  // Whether Enter was pressed before the results arrived.
  const [opensFirst, setOpensFirst] = useState(false);
  const leaves = useRef(false);
  const active = entries.find(({ id }) => id === chosen) ?? entries[0];

  useEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  useEffect(() => {
    if (!opensFirst || !isCurrent) return;
    setOpensFirst(false);
    if (active) open(active);
  });

  function open(entry: Entry) {
    // Unlike a call of the router, a click also asks about unsaved input.
    if (entry.to !== undefined) return document.getElementById(optionId(entry))?.click();
    onClose();
    entry.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isToggle = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const isEnter = event.key === 'Enter' && !event.nativeEvent.isComposing;
    if (step === undefined && !isToggle && !isEnter) return;
    event.preventDefault();
    if (isToggle) onClose();
    else if (step !== undefined) setChosen(entries.at((entries.findIndex(isActive) + step) % entries.length)?.id);
    else if (active && isReady(active)) open(active);
    else setOpensFirst(true);
  }

  function isActive(entry: Entry) {
    return entry === active;
  }

  function onType(text: string) {
    setTyped(text);
    setChosen(undefined);
    setOpensFirst(false);
  }

  function onFollow({ ctrlKey, metaKey }: MouseEvent) {
    if (ctrlKey || metaKey) return;
    leaves.current = true;
    onClose();
  }

  const isEmpty = entries.length === 0 && isCurrent;
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        {/* When an entry opens a screen, the shell moves the focus to that screen. */}
        <Dialog.Popup className="dialog palette" finalFocus={() => !leaves.current} aria-label={t('Search everything')}>
          <SearchInput typed={typed} active={active} onType={onType} onKeyDown={onKeyDown} />
          <div id={LIST} className="palette-list" role="listbox" aria-label={t('Results')} tabIndex={-1}>
            {groupsOf(entries).map(([group, members]) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
              <div key={group} role="group" aria-label={group}>
                <p className="palette-group" aria-hidden="true">
                  {group}
                </p>
                {members.map((entry) => (
                  <Option
                    key={entry.id}
                    entry={entry}
                    isActive={isActive(entry)}
                    onFollow={onFollow}
                    onRun={() => open(entry)}
                  />
                ))}
              </div>
            ))}
          </div>
          <p className={isEmpty || error ? 'palette-empty' : 'unseen'} role="status">
            {error ? inWords(error) : statusOf(isEmpty, isCurrent && typed !== '', entries.length)}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The entries for a text: screens and actions immediately, and orders, products and customers a moment later. */
function useEntries(text: string, onHelp: () => void) {
  const asked = useDelayed(text, WAIT_MS);
  const found = useFound(asked);
  const fixed = useFixedEntries(onHelp);
  const isCurrent = asked === text && !found.fetching;
  const isEmpty = text === '';
  const own = isEmpty
    ? fixed.filter(({ to }) => !to?.startsWith('/settings/'))
    : fixed.filter((each) => matchesTitle(text, each)).slice(0, MOST_FIXED);
  const others = fixed.filter((each) => !own.includes(each) && matchesDetail(text, each)).slice(0, MOST_FIXED);
  return {
    entries: isEmpty ? own : grouped([...own, ...found.entries, ...others]),
    error: found.error,
    /** Whether the entries are the results for the current text, and no request is running. */
    isCurrent,
    isReady: (entry: Entry) => isCurrent || own.includes(entry),
  };
}

function SearchInput({
  typed,
  active,
  onType,
  onKeyDown,
}: {
  typed: string;
  active: Entry | undefined;
  onType: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  return (
    <div className="palette-field">
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        aria-label={t('Search everything')}
        aria-expanded={active !== undefined}
        aria-controls={LIST}
        aria-autocomplete="list"
        aria-activedescendant={active && optionId(active)}
        placeholder={t('Order, customer, product, screen or action')}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={typed}
        onChange={({ target }) => onType(target.value)}
        onKeyDown={onKeyDown}
      />
      <Dialog.Close className="close" aria-label={t('Close')}>
        ×
      </Dialog.Close>
    </div>
  );
}

function statusOf(isEmpty: boolean, isReported: boolean, count: number): string {
  if (isEmpty) return t('Nothing found. Search by order number, name, e-mail, SKU or product.');
  return isReported ? t('Results: {count}', { count }) : '';
}

function Option({
  entry,
  isActive,
  onFollow,
  onRun,
}: {
  entry: Entry;
  isActive: boolean;
  onFollow: (event: MouseEvent) => void;
  onRun: () => void;
}) {
  const option = {
    id: optionId(entry),
    role: 'option',
    className: 'palette-option',
    'aria-selected': isActive,
    tabIndex: -1,
  };
  const content = (
    <>
      <Icon name={entry.icon} />
      <span>{entry.title}</span>
      {entry.detail && <span className="quiet-text">{entry.detail}</span>}
    </>
  );
  if (entry.to === undefined) {
    return (
      <button {...option} type="button" onClick={onRun}>
        {content}
      </button>
    );
  }
  return (
    <Link {...option} to={entry.to} onClick={onFollow}>
      {content}
    </Link>
  );
}

function optionId({ id }: Entry): string {
  return `palette-${id}`;
}

function groupsOf(entries: Entry[]): [string, Entry[]][] {
  const groups = new Set(entries.map(({ group }) => group));
  return [...groups].map((name) => [name, entries.filter(({ group }) => group === name)]);
}

/** The entries in the order in which their groups are shown. */
function grouped(entries: Entry[]): Entry[] {
  return groupsOf(entries).flatMap(([, members]) => members);
}
