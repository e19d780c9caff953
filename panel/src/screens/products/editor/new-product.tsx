import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { EditorFrame } from '../../../ui/form/frames.tsx';
import { useEditing } from '../../../ui/form/use-editing.ts';
import { Loaded, Page } from '../../../ui/page.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { copyOf, emptyDraft, type ProductDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { createProduct, forgetProducts, loadProduct } from './save.ts';

/** A new product: empty, or a copy of the product whose id is the parameter `from` of the URL. */
export function NewProduct() {
  const from = new URLSearchParams(useSearch()).get('from');
  return from === null ? <Draft key="" begin={emptyDraft} /> : <Copy key={from} id={from} />;
}

function Copy({ id }: { id: string }) {
  const product = useQuery({
    queryKey: ['products', 'copied', id],
    queryFn: ({ signal }) => loadProduct(id, signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (product.data) return <Draft begin={() => copyOf(product.data.data)} />;
  return (
    <Page title={t('New product')} back={{ to: '/products', label: t('Products') }}>
      <Loaded query={product}>{() => null}</Loaded>
    </Page>
  );
}

function Draft({ begin }: { begin: () => ProductDraft }) {
  const [, navigate] = useLocation();
  const [start] = useState(() => ({ data: begin(), etag: undefined }));
  const editing = useEditing(start, {
    send: async (draft) => {
      const { id, failure } = await createProduct(draft);
      await forgetProducts();
      navigate(`/products/${id}`, { replace: true });
      if (failure) toastError(failure);
      toast(draft.status === 'active' ? t('Saved and published.') : t('Saved as a draft.'));
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
    <Page title={t('New product')} back={{ to: '/products', label: t('Products') }}>
      <EditorFrame
        editing={editing}
        buttons={
          <>
            {isDraft && (
              <Button busy={busy} disabled={waiting > 0} onClick={() => void editing.save()}>
                {t('Save as draft')}
              </Button>
            )}
            <Button kind="primary" busy={busy} disabled={waiting > 0} onClick={() => void publish()}>
              {t('Save and publish')}
            </Button>
          </>
        }
      >
        <Editor isNew onUploading={editing.setWaiting} />
      </EditorFrame>
    </Page>
  );
}
