import { type ReactNode, useCallback } from 'react';
import { useCan } from '../../../session/use-me.ts';
import type { UploadingProps } from './add-pictures.tsx';
import { usedOptions } from './combinations.ts';
import { Metadata, Organisation, Words } from './details.tsx';
import type { Draft, VariantDraft } from './draft.ts';
import { Images } from './images.tsx';
import { Options } from './options.tsx';
import { SingleVariant } from './single-variant.tsx';
import { VariantGrid } from './variant-grid.tsx';
import './editor.css';

/** The fields of a product, new or not. */
export function Editor({
  draft,
  setDraft,
  errorOf,
  isNew,
  onUploading,
  children,
}: {
  draft: Draft;
  setDraft: (change: (draft: Draft) => Draft) => void;
  errorOf: (field: string) => string | undefined;
  isNew: boolean;
  children?: ReactNode;
} & UploadingProps) {
  const can = useCan();
  const canEdit = can('products:write');
  const canCount = isNew || can('inventory:write');
  const onChange = useCallback((changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes })), [setDraft]);
  const part = { draft, onChange, setDraft, errorOf };
  return (
    <fieldset className="editor" disabled={!canEdit}>
      <legend className="unseen">Product</legend>
      <div className="columns">
        <div className="stack">
          <Words {...part} />
          <Images {...part} onUploading={onUploading} />
          <Options {...part} />
        </div>
        <div className="stack">
          <Organisation {...part} />
          <Metadata {...part} />
        </div>
      </div>
      <Variants draft={draft} setDraft={setDraft} errorOf={errorOf} canCount={canCount} />
      {children}
    </fieldset>
  );
}

function Variants({
  draft,
  setDraft,
  errorOf,
  canCount,
}: {
  draft: Draft;
  setDraft: (change: (draft: Draft) => Draft) => void;
  errorOf: (field: string) => string | undefined;
  canCount: boolean;
}) {
  const change = useCallback(
    (key: string, changes: Partial<VariantDraft>) =>
      setDraft((now) => ({
        ...now,
        variants: now.variants.map((variant) => (variant.key === key ? { ...variant, ...changes } : variant)),
      })),
    [setDraft],
  );
  const remove = useCallback(
    (key: string) => setDraft((now) => ({ ...now, variants: now.variants.filter((variant) => variant.key !== key) })),
    [setDraft],
  );
  const [first] = draft.variants;
  if (!first) return null;
  if (usedOptions(draft).length === 0) {
    return <SingleVariant variant={first} onChange={change} errorOf={errorOf} canCount={canCount} />;
  }
  return (
    <VariantGrid
      variants={draft.variants}
      errorOf={errorOf}
      canCount={canCount}
      onChange={change}
      onChangeAll={(changes) =>
        setDraft((now) => ({ ...now, variants: now.variants.map((variant) => ({ ...variant, ...changes })) }))
      }
      onRemove={remove}
    />
  );
}
