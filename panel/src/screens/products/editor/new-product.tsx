import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { Held } from '../../../ui/held.tsx';
import { Page } from '../../../ui/page.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import '../../../ui/save-bar.css';
import { UnsavedGuard } from '../../../ui/unsaved.tsx';
import { type Draft, emptyDraft, isSame } from './draft.ts';
import { Editor } from './editor.tsx';
import { createProduct } from './save.ts';
import { fieldErrors, forgetProducts } from './use-editor.ts';
import { hasUnreadNumber, UNREAD_NUMBERS } from './variant-fields.tsx';

export function NewProduct() {
  const [, navigate] = useLocation();
  const [empty] = useState(emptyDraft);
  const [draft, setDraft] = useState(empty);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [created, setCreated] = useState(false);
  const [uploading, setUploading] = useState(0);

  async function save(what: Draft) {
    if (hasUnreadNumber(what)) return toastError(new Error(UNREAD_NUMBERS));
    setBusy(true);
    setError(undefined);
    try {
      const { id, failure } = await createProduct(what);
      setCreated(true);
      await forgetProducts();
      navigate(`/products/${id}`, { replace: true });
      if (failure) toastError(failure);
      toast(what.status === 'active' ? 'Saved and published.' : 'Saved as a draft.');
    } catch (failure) {
      setError(failure);
      toastError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Page title="New product" back={{ to: '/products', label: 'Products' }}>
      <UnsavedGuard dirty={!created && (uploading > 0 || !isSame(draft, empty))} />
      <Held busy={busy}>
        <Editor
          draft={draft}
          setDraft={setDraft}
          errorOf={fieldErrors(error, draft)}
          isNew
          onUploading={setUploading}
        />
      </Held>
      <div className="save-bar">
        {uploading > 0 && <p role="status">Pictures are still on their way.</p>}
        {draft.status === 'draft' && (
          <Button busy={busy} disabled={uploading > 0} onClick={() => void save(draft)}>
            Save as draft
          </Button>
        )}
        <Button
          kind="primary"
          busy={busy}
          disabled={uploading > 0}
          onClick={() => void save({ ...draft, status: 'active' })}
        >
          Save and publish
        </Button>
      </div>
    </Page>
  );
}
