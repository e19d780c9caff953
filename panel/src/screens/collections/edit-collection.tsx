import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, fieldError, ifMatch, type Versioned } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { ConflictDialog, type ConflictSource, conflictFields, conflictOf } from '../../ui/conflict-dialog.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Held } from '../../ui/held.tsx';
import { LoadError, Loading, Page } from '../../ui/page.tsx';
import { SaveBar } from '../../ui/save-bar.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { CollectionForm } from './collection-form.tsx';
import { type Collection, type CollectionDraft, collectionDraftOf, inFields, rebasedCollection } from './draft.ts';
import { forgetCollections, type ListedProduct, listedProductOf, loadCollection, updateCollection } from './save.ts';

export function EditCollection({ params }: { params: Record<string, string> }) {
  const id = params.collection_id ?? '';
  const collection = useQuery({
    queryKey: ['collections', 'one', id],
    queryFn: ({ signal }) => loadCollection(id, signal),
    // What is edited began with one state; a newer one arrives as a conflict, or after a save.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (collection.data) return <Loaded key={id} loaded={collection.data} />;
  return (
    <Page title="Collection" back={{ to: '/collections', label: 'Collections' }}>
      {collection.error ? (
        <LoadError error={collection.error} onRetry={() => void collection.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

interface State {
  base: Versioned<Collection>;
  draft: CollectionDraft;
  products: ListedProduct[];
}

function stateOf(base: Versioned<Collection>): State {
  return { base, draft: collectionDraftOf(base.data), products: base.data.products.map(listedProductOf) };
}

function useCollectionEditor(loaded: Versioned<Collection>) {
  const [state, setState] = useState(() => stateOf(loaded));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [conflict, setConflict] = useState<{ source: ConflictSource; theirs: Versioned<Collection> }>();
  const [round, setRound] = useState(0);
  const { base, draft, products } = state;
  const { id } = loaded.data;

  async function save(from: Versioned<Collection>, what: CollectionDraft, listed: ListedProduct[]) {
    setBusy(true);
    setError(undefined);
    try {
      await updateCollection(from, what, listed);
      setState(stateOf(await loadCollection(id)));
      setConflict(undefined);
      toast('Saved.');
    } catch (failure) {
      const now = await loadCollection(id).catch(() => undefined);
      const source = conflictOf(failure);
      if (now && source) setConflict({ source, theirs: now });
      else {
        if (now) setState({ base: now, draft: what, products: listed });
        setConflict(undefined);
        setError(failure);
        toastError(failure);
      }
    } finally {
      setBusy(false);
      void forgetCollections();
    }
  }

  const ids = products.map((product) => product.id).join();
  const dirty =
    JSON.stringify(draft) !== JSON.stringify(collectionDraftOf(base.data)) ||
    ids !== base.data.products.map((product) => product.id).join();
  return {
    ...state,
    busy,
    error,
    conflict,
    dirty,
    setState,
    save: () => save(base, draft, products),
    /** Another one after each time that everything was discarded: a picture that was on its way then is not wanted either. */
    round,
    discard: () => {
      setState(stateOf(base));
      setError(undefined);
      setRound((now) => now + 1);
    },
    keepMine: () => {
      if (!conflict) return;
      const now = collectionDraftOf(conflict.theirs.data);
      const touched = ids !== base.data.products.map((product) => product.id).join();
      const listed = touched ? products : conflict.theirs.data.products.map(listedProductOf);
      void save(conflict.theirs, rebasedCollection(collectionDraftOf(base.data), draft, now), listed);
    },
    takeTheirs: () => {
      if (conflict) setState(stateOf(conflict.theirs));
      setConflict(undefined);
    },
    closeConflict: () => setConflict(undefined),
  };
}

function Loaded({ loaded }: { loaded: Versioned<Collection> }) {
  const editor = useCollectionEditor(loaded);
  const { base, draft, products, conflict, dirty, busy, setState } = editor;
  const can = useCan();
  const [gone, setGone] = useState(false);
  const [uploading, setUploading] = useState(0);
  const fields = useMemo(() => {
    if (!conflict) return [];
    const words = (from: CollectionDraft, names: { name: string }[]) =>
      inFields(from).set('Products', names.map(({ name }) => name).join('\n'));
    return conflictFields(
      words(collectionDraftOf(base.data), base.data.products),
      words(draft, products),
      words(collectionDraftOf(conflict.theirs.data), conflict.theirs.data.products),
    );
  }, [conflict, base, draft, products]);
  return (
    <Page
      title={base.data.title}
      back={{ to: '/collections', label: 'Collections' }}
      status={
        <Badge value={base.data.published ? 'active' : 'hidden'}>
          {base.data.published ? 'In the shop' : 'Hidden'}
        </Badge>
      }
      actions={can('products:write') && <Delete collection={base} onDeleted={() => setGone(true)} />}
    >
      <UnsavedGuard dirty={(dirty || uploading > 0) && !gone} />
      <Held busy={busy}>
        <CollectionForm
          key={editor.round}
          draft={draft}
          products={products}
          saved={base.data}
          errorOf={(field) => fieldError(editor.error, field)}
          onChange={(changes) => setState((now) => ({ ...now, draft: { ...now.draft, ...changes } }))}
          onProducts={(next) => setState((now) => ({ ...now, products: next }))}
          onUploading={setUploading}
        />
      </Held>
      {(dirty || busy || uploading > 0) && (
        <SaveBar
          busy={busy}
          waits={uploading > 0}
          status={uploading > 0 ? 'The picture is still on its way.' : undefined}
          onDiscard={editor.discard}
          onSave={() => void editor.save()}
        />
      )}
      <ConflictDialog
        source={conflict?.source}
        fields={fields}
        busy={busy}
        onKeepMine={editor.keepMine}
        onTakeTheirs={editor.takeTheirs}
        onClose={editor.closeConflict}
      />
    </Page>
  );
}

function Delete({ collection, onDeleted }: { collection: Versioned<Collection>; onDeleted: () => void }) {
  const { id, title } = collection.data;
  const params = { path: { collection_id: id } };
  const headers = ifMatch(collection.etag);
  return (
    <DeleteButton
      name={title}
      action="Delete collection"
      list="/collections"
      send={() => unwrap(api.DELETE('/api/dashboard/collections/{collection_id}', { params, headers }))}
      shownBy={['collections']}
      onDeleted={onDeleted}
    >
      The collection is removed for good. Its products stay.
    </DeleteButton>
  );
}
