import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ifMatch, type Versioned } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { nameOf, wordsOf } from '../../ui/form/changes.ts';
import { EditorFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { LoadError, Loading, Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toasts.tsx';
import { CollectionForm } from './collection-form.tsx';
import { type Collection, collectionDraftOf } from './draft.ts';
import { forgetCollections, loadCollection, saveCollection } from './save.ts';

export function EditCollection({ params }: { params: Record<string, string> }) {
  const id = params.collection_id ?? '';
  const collection = useQuery({
    queryKey: ['collections', 'one', id],
    queryFn: ({ signal }) => loadCollection(id, signal),
    // The editor keeps the state with which it started. A newer state arrives as a conflict or after a save.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (collection.data) return <Loaded key={id} loaded={collection.data} />;
  return (
    <Page title={t('Collection')} back={{ to: '/collections', label: t('Collections') }}>
      {collection.error ? (
        <LoadError error={collection.error} onRetry={() => void collection.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Loaded({ loaded }: { loaded: Versioned<Collection> }) {
  const { id } = loaded.data;
  const editing = useEditing(collectionDraftOf(loaded), {
    send: (draft, over) => saveCollection(id, draft, over),
    read: async () => collectionDraftOf(await loadCollection(id)),
    words: (draft) => wordsOf({ ...draft, products: draft.products.map(nameOf).join('\n') }),
    onSaved: async () => {
      await forgetCollections();
      toast(t('Saved.'));
    },
  });
  const { title, published } = editing.base.data;
  const can = useCan();
  const [gone, setGone] = useState(false);
  return (
    <Page
      title={title}
      back={{ to: '/collections', label: t('Collections') }}
      status={<Badge value={published ? 'active' : 'hidden'}>{published ? t('In the shop') : t('Hidden')}</Badge>}
      actions={can('products:write') && <Delete collection={loaded} onDeleted={() => setGone(true)} />}
    >
      <EditorFrame editing={editing} isGone={gone}>
        <CollectionForm saved={loaded.data} onUploading={editing.setWaiting} />
      </EditorFrame>
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
      action={t('Delete collection')}
      list="/collections"
      send={() => unwrap(api.DELETE('/api/dashboard/collections/{collection_id}', { params, headers }))}
      shownBy={['collections']}
      onDeleted={onDeleted}
    >
      {t('The collection is removed for good. Its products stay.')}
    </DeleteButton>
  );
}
