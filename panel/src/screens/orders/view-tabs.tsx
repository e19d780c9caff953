import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { toastUndo } from '../../ui/toasts.tsx';
import { BUILT_IN, canonical, useOwnViews, type View } from './views.ts';

/** Predefined views and those saved in this browser. The current filters can be saved as a new view. */
export function ViewTabs() {
  const { merchant } = useMe();
  const [params] = useSearchState();
  const own = useOwnViews(merchant.id);
  const [naming, setNaming] = useState(false);
  const now = canonical(params.toString());
  const isHere = ({ query }: View) => canonical(query) === now;
  const here = own.views.find(isHere);
  const remove = ({ name, query }: View) => {
    own.remove(name);
    toastUndo(t('The view {name} is removed.', { name }), () => own.save(name, query));
  };
  const isKnown = here !== undefined || BUILT_IN.some(isHere);
  return (
    <nav className="views" aria-label={t('Views of orders')}>
      <ul>
        {[...BUILT_IN, ...own.views].map((view) => (
          <li key={`${view.name}?${view.query}`}>
            <Link
              to={view.query ? `/orders?${view.query}` : '/orders'}
              aria-current={isHere(view) ? 'page' : undefined}
            >
              {view.name}
            </Link>
          </li>
        ))}
      </ul>
      {!isKnown && (
        <Button kind="quiet" onClick={() => setNaming(true)}>
          {t('Save this view')}
        </Button>
      )}
      {here && (
        <Button kind="quiet" onClick={() => remove(here)}>
          {t('Remove this view')}
        </Button>
      )}
      <NameView open={naming} onClose={() => setNaming(false)} onName={(name) => own.save(name, now)} />
    </nav>
  );
}

function NameView({ open, onClose, onName }: { open: boolean; onClose: () => void; onName: (name: string) => void }) {
  const [, navigate] = useLocation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name')).trim();
    if (!name) return;
    onName(name);
    onClose();
    navigate(`/orders${window.location.search}`, { replace: true });
  };
  return (
    <Dialog open={open} onClose={onClose} title={t('Save this view')}>
      <form onSubmit={submit}>
        <TextField
          label={t('Name')}
          name="name"
          maxLength={40}
          hint={t('Search, filters and sorting are kept under this name, in this browser.')}
          required
          autoFocus
        />
        <footer>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" kind="primary">
            {t('Save')}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
