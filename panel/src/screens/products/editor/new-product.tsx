import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { EditorFrame } from '../../../ui/form/frames.tsx';
import { useEditing } from '../../../ui/form/use-editing.ts';
import { Page } from '../../../ui/page.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { emptyDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { createProduct, forgetProducts } from './save.ts';

export function NewProduct() {
  const [, navigate] = useLocation();
  const [empty] = useState(() => ({ data: emptyDraft(), etag: undefined }));
  const editing = useEditing(empty, {
    send: async (draft) => {
      const { id, failure } = await createProduct(draft);
      await forgetProducts();
      navigate(`/products/${id}`, { replace: true });
      if (failure) toastError(failure);
      toast(draft.status === 'active' ? 'Saved and published.' : 'Saved as a draft.');
      return { data: draft, etag: undefined };
    },
  });
  const { form, busy, waiting } = editing;
  const isDraft = form.watch('status') === 'draft';
  const publish = async () => {
    const status = form.getValues('status');
    form.setValue('status', 'active');
    if (!(await editing.save())) form.setValue('status', status);
  };
  return (
    <Page title="New product" back={{ to: '/products', label: 'Products' }}>
      <EditorFrame
        editing={editing}
        buttons={
          <>
            {isDraft && (
              <Button busy={busy} disabled={waiting > 0} onClick={() => void editing.save()}>
                Save as draft
              </Button>
            )}
            <Button kind="primary" busy={busy} disabled={waiting > 0} onClick={() => void publish()}>
              Save and publish
            </Button>
          </>
        }
      >
        <Editor isNew onUploading={editing.setWaiting} />
      </EditorFrame>
    </Page>
  );
}
