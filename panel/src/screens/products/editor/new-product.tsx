import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { manualCollectionsOf } from '../../../../../cli/src/formats/collections-of.ts';
import { api } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { EditorFrame } from '../../../ui/form/frames.tsx';
import { useEditing } from '../../../ui/form/use-editing.ts';
import { Loaded, Page } from '../../../ui/page.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { copyOf, draftOf, emptyDraft, type ProductDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { createProduct, forgetProducts } from './save.ts';

/**
 * A new product: empty, or a copy of the product with the id `from` in the URL. A copy joins the same manual
 * collections.
 */
export function NewProduct() {
  const from = new URLSearchParams(useSearch()).get('from');
  return from === null ? <Draft key="" begin={emptyDraft} /> : <Copy key={from} id={from} />;
}

function Copy({ id }: { id: string }) {
  const product = useQuery({
    queryKey: ['products', 'copied', id],
    queryFn: async ({ signal }) => {
      const product = await unwrap(
        api.GET('/api/dashboard/products/{product_id}', { params: { path: { product_id: id } }, signal }),
      );
      return { draft: draftOf(product), collections: await manualCollectionsOf(api, product) };
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = product;
  if (data) return <Draft begin={() => copyOf(data.draft)} collections={data.collections} />;
  return (
    <Page title={t('New product')} back={{ to: '/products', label: t('Products') }}>
      <Loaded query={product}>{() => null}</Loaded>
    </Page>
  );
}

function Draft({ begin, collections = [] }: { begin: () => ProductDraft; collections?: string[] }) {
  const [, navigate] = useLocation();
  const [start] = useState(() => ({ data: begin(), etag: undefined }));
  const editing = useEditing(start, {
    send: async (draft) => {
      const { id, failure } = await createProduct(draft);
      await addToCollections(id, collections).catch(toastError);
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

async function addToCollections(id: string, collections: string[]): Promise<void> {
  for (const collection_id of collections) {
    const call = { params: { path: { collection_id } }, body: { product_ids: [id] } };
    await unwrap(api.POST('/api/dashboard/collections/{collection_id}/products', call));
  }
}
