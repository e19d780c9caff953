import { useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { t } from '../../language/texts.ts';
import { Button } from '../button.tsx';
import { TextArea } from '../field.tsx';
import { HtmlPreview } from './html-preview.tsx';
import { lossesOf } from './losses.ts';
import { VisualEditor } from './visual-editor.tsx';
import './rich-text.css';

export interface RichTextProps {
  name: string;
  label: string;
  html: string;
  error?: string | undefined;
  maxLength: number;
  disabled: boolean;
  onChange: (html: string) => void;
}

/**
 * A formatted text, edited visually or as HTML. HTML that the visual editor would change is only edited as HTML, so
 * that nothing is lost.
 */
export function RichTextField({ name, label, html, error, maxLength, disabled, onChange }: RichTextProps) {
  const id = useId();
  const [asHtml, setAsHtml] = useState(false);
  /** The last HTML that the visual editor reported, which need not be checked for losses. */
  const visual = useRef<string>(undefined);
  const seen = useDeferredValue(html);
  const losses = useMemo(() => (seen === visual.current ? [] : lossesOf(seen)), [seen]);
  if (asHtml || losses.length > 0) {
    const reason = t('The visual editor would lose parts of this description: {parts}. It is edited as HTML.', {
      parts: losses.join(', '),
    });
    return (
      <div className="rich-text-field">
        <TextArea
          name={name}
          label={t('{label} (HTML)', { label })}
          rows={9}
          value={html}
          error={error}
          maxLength={maxLength}
          disabled={disabled}
          hint={losses.length > 0 ? reason : t('Scripts and styles are removed when you save.')}
          onChange={({ target }) => {
            // Keeps the HTML view open when the user deletes the last part that the visual editor would lose.
            setAsHtml(true);
            onChange(target.value);
          }}
        />
        <Button disabled={disabled || losses.length > 0 || seen !== html} onClick={() => setAsHtml(false)}>
          {t('Visual editor')}
        </Button>
        {html.trim() !== '' && (
          <details className="preview">
            <summary>{t('Preview of the description')}</summary>
            <HtmlPreview title={t('Preview of the description')} html={html} />
          </details>
        )}
      </div>
    );
  }
  return (
    <div className="field">
      <span className="label" id={`${id}-label`}>
        {label}
      </span>
      <VisualEditor
        labelledBy={`${id}-label`}
        describedBy={error ? `${id}-error` : undefined}
        name={name}
        html={html}
        disabled={disabled}
        onChange={(next) => {
          visual.current = next;
          onChange(next);
        }}
        onHtml={() => setAsHtml(true)}
      />
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
