import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { useLocation } from 'wouter';
import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { EditorFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { Card, Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toasts.tsx';
import { CollectionForm } from './collection-form.tsx';
import { type CollectionDraft, emptyCollection } from './draft.ts';
import { createCollection, forgetCollections } from './save.ts';

export function NewCollection() {
  const [, navigate] = useLocation();
  const [empty] = useState(() => ({ data: emptyCollection(), etag: undefined }));
  const editing = useEditing(empty, {
    send: async (draft) => {
      const id = await createCollection(draft);
      await forgetCollections();
      navigate(`/collections/${id}`, { replace: true });
      toast(t('Saved.'));
      return { data: draft, etag: undefined };
    },
  });
  const { busy, waiting } = editing;
  return (
    <Page title={t('New collection')} back={{ to: '/collections', label: t('Collections') }}>
      <EditorFrame
        editing={editing}
        buttons={
          <Button kind="primary" busy={busy} disabled={waiting > 0} onClick={() => void editing.save()}>
            {t('Save collection')}
          </Button>
        }
      >
        <Card title={t('How are products added?')}>
          <TypeChoice />
        </Card>
        <CollectionForm onUploading={editing.setWaiting} />
      </EditorFrame>
    </Page>
  );
}

const TYPES = [
  { type: 'manual', name: t('I choose them'), hint: t('And sort them by hand.') },
  {
    type: 'automatic',
    name: t('By rules'),
    hint: t('Every product that meets them belongs to it, including later ones.'),
  },
] as const;

function TypeChoice() {
  const { setValue } = useFormContext<CollectionDraft>();
  const chosen = useWatch<CollectionDraft, 'type'>({ name: 'type' });
  return (
    <fieldset className="fields-2">
      <legend className="unseen">{t('How products get into it')}</legend>
      {TYPES.map(({ type, name, hint }) => (
        <label key={type} className="type-choice">
          <input
            type="radio"
            name="type"
            checked={chosen === type}
            onChange={() => {
              setValue('type', type);
              setValue('sort_order', type === 'manual' ? 'manual' : 'created_desc');
            }}
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
