import { useState } from 'react';
import { useLocation } from 'wouter';
import { fieldError } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Held } from '../../ui/held.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import '../../ui/save-bar.css';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { CollectionForm } from './collection-form.tsx';
import { type CollectionDraft, emptyCollection } from './draft.ts';
import { createCollection, forgetCollections, type ListedProduct } from './save.ts';

export function NewCollection() {
  const [, navigate] = useLocation();
  const [empty] = useState(emptyCollection);
  const [draft, setDraft] = useState(empty);
  const [products, setProducts] = useState<ListedProduct[]>([]);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState(false);
  const [uploading, setUploading] = useState(0);
  const edited = JSON.stringify(draft) !== JSON.stringify(empty) || products.length > 0 || uploading > 0;
  const onChange = (changes: Partial<CollectionDraft>) => setDraft((now) => ({ ...now, ...changes }));

  async function save() {
    setBusy(true);
    setError(undefined);
    try {
      const id = await createCollection(draft, products);
      setCreated(true);
      await forgetCollections();
      navigate(`/collections/${id}`, { replace: true });
      toast('Saved.');
    } catch (failure) {
      setError(failure);
      toastError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Page title="New collection" back={{ to: '/collections', label: 'Collections' }}>
      <UnsavedGuard dirty={!created && edited} />
      <Held busy={busy} className="stack">
        <Card title="How do products get into it?">
          <TypeChoice draft={draft} onChange={onChange} />
        </Card>
        <CollectionForm
          draft={draft}
          products={products}
          errorOf={(field) => fieldError(error, field)}
          onChange={onChange}
          onProducts={setProducts}
          onUploading={setUploading}
        />
      </Held>
      <div className="save-bar">
        {uploading > 0 && <p role="status">The picture is still on its way.</p>}
        <Button kind="primary" busy={busy} disabled={uploading > 0} onClick={() => void save()}>
          Save collection
        </Button>
      </div>
    </Page>
  );
}

const TYPES = [
  { type: 'manual', name: 'I choose them', hint: 'And put them in the order I like.' },
  { type: 'automatic', name: 'By rules', hint: 'Every product that meets them belongs to it, also later ones.' },
] as const;

function TypeChoice({
  draft,
  onChange,
}: {
  draft: CollectionDraft;
  onChange: (changes: Partial<CollectionDraft>) => void;
}) {
  return (
    <fieldset className="fields-2">
      <legend className="unseen">How products get into it</legend>
      {TYPES.map(({ type, name, hint }) => (
        <label key={type} className="type-choice">
          <input
            type="radio"
            name="type"
            checked={draft.type === type}
            onChange={() => onChange({ type, sort_order: type === 'manual' ? 'manual' : 'created_desc' })}
          />
          <span>
            <strong>{name}</strong>
            <span className="hint"> {hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
