import { type Editor, EditorContent, useEditor } from '@tiptap/react';
import { useEffect, useRef } from 'react';
import { withoutBlocked } from './losses.ts';
import { EXTENSIONS, htmlOf, throughEditor } from './schema.ts';
import { Tools } from './tools.tsx';

/**
 * Leaves the Tab key to the browser. In lists the editor would indent the item, and the keyboard could not leave it.
 */
const handleDOMEvents = { keydown: (_view: unknown, event: KeyboardEvent) => event.key === 'Tab' };

interface Props {
  labelledBy: string;
  describedBy: string | undefined;
  name: string;
  html: string;
  disabled: boolean;
  onChange: (html: string) => void;
  onHtml: () => void;
}

/** The visual editor with its tools. Reports only changes by the user; undoing them all restores the stored HTML. */
export function VisualEditor({ labelledBy, describedBy, name, html, disabled, onChange, onHtml }: Props) {
  const report = useRef(onChange);
  report.current = onChange;
  const stored = useRef({ html, shown: '' });
  /**
   * The HTML that the editor reported last. Any other value comes from outside, for example when a change is discarded.
   */
  const own = useRef(html);
  const begin = (editor: Editor, next: string) => {
    own.current = next;
    stored.current = { html: next, shown: htmlOf(editor.state.doc) };
  };
  const attributes = {
    ...{ class: 'rich-text', role: 'textbox', 'aria-multiline': 'true', 'aria-labelledby': labelledBy, name },
    ...(describedBy && { 'aria-describedby': describedBy, 'aria-invalid': 'true' }),
  };
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: html,
    editable: !disabled,
    // The Content-Security-Policy blocks the style element that the editor would add.
    injectCSS: false,
    editorProps: { attributes, transformPastedHTML: withoutBlocked, handleDOMEvents },
    onCreate: (created) => begin(created.editor, html),
    onUpdate: ({ editor: { state } }) => {
      const now = htmlOf(state.doc);
      own.current = now === stored.current.shown ? stored.current.html : now;
      report.current(own.current);
    },
  });
  useEffect(
    () => editor.setOptions({ editorProps: { attributes, transformPastedHTML: withoutBlocked, handleDOMEvents } }),
    [editor, describedBy],
  );
  useEffect(() => {
    if (html === own.current) return;
    // After a save, the server's HTML differs only in its notation. The cursor and the history stay.
    const isShown = throughEditor(html) === htmlOf(editor.state.doc);
    if (!isShown) editor.commands.setContent(html, { emitUpdate: false });
    begin(editor, html);
  }, [editor, html]);
  return (
    <div className="rich-text-box">
      {!disabled && <Tools editor={editor} onHtml={onHtml} />}
      <EditorContent editor={editor} />
    </div>
  );
}
