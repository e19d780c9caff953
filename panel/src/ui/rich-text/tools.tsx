import { Toolbar } from '@base-ui/react/toolbar';
import { type Editor, useEditorState } from '@tiptap/react';
import { useState } from 'react';
import { t } from '../../language/texts.ts';
import { LinkDialog } from './link-dialog.tsx';

/** The tools of the visual editor. One Tab key reaches them, arrow keys move between them. */
export function Tools({ editor, onHtml }: { editor: Editor; onHtml: () => void }) {
  const [linking, setLinking] = useState(false);
  const is = useEditorState({
    editor,
    selector: () => ({
      bold: editor.isActive('bold'),
      italic: editor.isActive('italic'),
      h2: editor.isActive('heading', { level: 2 }),
      h3: editor.isActive('heading', { level: 3 }),
      bullets: editor.isActive('bulletList'),
      numbers: editor.isActive('orderedList'),
      quote: editor.isActive('blockquote'),
      link: editor.isActive('link'),
    }),
  });
  const close = () => {
    setLinking(false);
    // The closing dialog returns the focus to the button. The user continues with the text.
    requestAnimationFrame(() => editor.commands.focus());
  };
  const run = () => editor.chain().focus();
  return (
    <>
      <Toolbar.Root className="rich-text-tools" aria-label={t('Formatting')}>
        <Tool label={t('Bold')} icon="bold" pressed={is.bold} onPress={() => run().toggleBold().run()} />
        <Tool label={t('Italic')} icon="italic" pressed={is.italic} onPress={() => run().toggleItalic().run()} />
        <Tool
          label={t('Heading')}
          icon="heading"
          pressed={is.h2}
          onPress={() => run().toggleHeading({ level: 2 }).run()}
        />
        <Tool
          label={t('Subheading')}
          icon="subheading"
          pressed={is.h3}
          onPress={() => run().toggleHeading({ level: 3 }).run()}
        />
        <Tool label={t('List')} icon="list" pressed={is.bullets} onPress={() => run().toggleBulletList().run()} />
        <Tool
          label={t('Numbered list')}
          icon="numbers"
          pressed={is.numbers}
          onPress={() => run().toggleOrderedList().run()}
        />
        <Tool label={t('Quote')} icon="quote" pressed={is.quote} onPress={() => run().toggleBlockquote().run()} />
        <Tool label={t('Link')} icon="link" pressed={is.link} onPress={() => setLinking(true)} />
        <Tool label={t('Undo')} icon="undo" onPress={() => run().undo().run()} />
        <Tool label={t('Redo')} icon="redo" onPress={() => run().redo().run()} />
        <Tool label={t('Clear formatting')} icon="clear" onPress={() => run().unsetAllMarks().clearNodes().run()} />
        <Tool label={t('Edit as HTML')} icon="html" onPress={onHtml} />
      </Toolbar.Root>
      {linking && <LinkDialog editor={editor} onClose={close} />}
    </>
  );
}

interface ToolProps {
  label: string;
  pressed?: boolean;
  onPress: () => void;
  icon: keyof typeof ICONS;
}

function Tool({ label, icon, pressed, onPress }: ToolProps) {
  return (
    <Toolbar.Button
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      // A press with the mouse would move the focus out of the text.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={ICONS[icon]} />
      </svg>
    </Toolbar.Button>
  );
}

/** Lines of the icons, in a square of 16 units. */
const ICONS = {
  bold: 'M4.5 2.5h4a2.7 2.7 0 0 1 0 5.4h-4zM4.5 7.9h4.7a2.8 2.8 0 0 1 0 5.6H4.5z',
  italic: 'M6.5 2.5h6M3.5 13.5h6M9.5 2.5l-3 11',
  heading: 'M3 2.5v11M13 2.5v11M3 8h10',
  subheading: 'M4.5 5v8M11.5 5v8M4.5 9h7',
  list: 'M6 4h8M6 8h8M6 12h8M2.5 4h.5M2.5 8h.5M2.5 12h.5',
  numbers: 'M7 4h7M7 8h7M7 12h7M2 3l1-.7v3.4M2 10.2c.2-1 2-1 2 .1 0 .8-2 1.6-2 2.6h2.2',
  quote: 'M6.5 4.5c-2 .5-3.5 2-3.5 4.500v2.500h3.500V8H3M13 4.500c-2 .5-3.5 2-3.5 4.500v2.500H13V8H9.5',
  link: 'M7 9l2-2M6 6L4 8a2.8 2.8 0 0 0 4 4l2-2M10 10l2-2a2.8 2.8 0 0 0-4-4L6 6',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a3.5 3.5 0 0 0 0 7H10',
  clear: 'M3.5 3h9M8 3v4M6.5 13h-3M9 9l4.5 4.500M13.5 9L9 13.5',
  html: 'M5 4L1.5 8 5 12M11 4l3.5 4-3.5 4M9.2 3l-2.4 10',
};
