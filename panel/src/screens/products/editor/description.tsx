import { Suspense } from 'react';
import { useController, useFormContext, useFormState } from 'react-hook-form';
import { t } from '../../../language/texts.ts';
import { useCan } from '../../../session/use-me.ts';
import { lazyPart } from '../../../shell/lazy-part.ts';
import type { RichTextProps } from '../../../ui/rich-text/rich-text-field.tsx';
import type { ProductDraft } from './draft.ts';

const RichTextField = lazyPart<RichTextProps>(
  async () => (await import('../../../ui/rich-text/rich-text-field.tsx')).RichTextField,
);

/**
 * The formatted description. A plain one is shown in paragraphs and becomes a formatted one with the first change. The
 * server derives the plain text from the formatted one.
 */
export function Description() {
  const can = useCan();
  const { setValue } = useFormContext<ProductDraft>();
  const { defaultValues } = useFormState<ProductDraft>();
  const { field: plain } = useController<ProductDraft, 'description'>({ name: 'description' });
  const { field, fieldState } = useController<ProductDraft, 'description_html'>({ name: 'description_html' });
  const stored = defaultValues?.description ?? '';
  return (
    <Suspense fallback={<div className="rich-text-loading" aria-busy="true" />}>
      <RichTextField
        name="description_html"
        label={t('Description')}
        html={field.value || paragraphsOf(plain.value ?? '')}
        error={fieldState.error?.message}
        maxLength={131_072}
        disabled={!can('products:write')}
        onChange={(html) => {
          const isStored = html === paragraphsOf(stored) && !defaultValues?.description_html;
          field.onChange(isStored ? (defaultValues?.description_html ?? null) : html || null);
          // Without this, the plain description would remain after the formatted one is removed.
          setValue('description', html === '' ? '' : stored);
        }}
      />
    </Suspense>
  );
}

/** A plain description in HTML, as the server converts it. */
function paragraphsOf(text: string): string {
  if (text === '') return '';
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}
