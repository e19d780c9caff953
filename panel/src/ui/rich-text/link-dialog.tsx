import type { Editor } from '@tiptap/react';
import { type FormEvent, useState } from 'react';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import { t } from '../../language/texts.ts';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { TextField } from '../field.tsx';

/** Links the selected text, or changes or removes the link at the cursor. */
export function LinkDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const before = String(editor.getAttributes('link').href ?? '');
  const [typed, setTyped] = useState(before);
  const [error, setError] = useState<string>();
  const remove = () => {
    editor.chain().extendMarkRange('link').unsetLink().run();
    onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const href = addressOf(typed);
    if (href === undefined) return setError(t('Enter an address such as https://shop.example or an e-mail address.'));
    const chain = editor.chain();
    if (editor.state.selection.empty && before === '') {
      chain.insertContent({ type: 'text', text: typed.trim(), marks: [{ type: 'link', attrs: { href } }] }).run();
    } else {
      chain.extendMarkRange('link').setLink({ href }).run();
    }
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={t('Link')}>
      <form noValidate onSubmit={onSubmit}>
        <TextField
          label={t('Address')}
          inputMode="url"
          placeholder="https://"
          value={typed}
          error={error}
          onChange={({ target }) => setTyped(target.value)}
        />
        <footer>
          {before !== '' && <Button onClick={remove}>{t('Remove link')}</Button>}
          <Button type="submit" kind="primary">
            {t('Set link')}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/**
 * Completes a typed address such as `shop.example` or `help@shop.example` to a URL. Undefined if the text is no
 * address.
 */
function addressOf(typed: string): string | undefined {
  const address = webAddress(typed);
  if (/^(?:https?:\/\/|mailto:|tel:)[^\s]+$/i.test(address) || /^[/#]/.test(address)) return address;
  if (/^[^@/:]+@[^@/:]+\.[a-z]+$/i.test(address)) return `mailto:${address}`;
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#].*)?$/i.test(address) ? `https://${address}` : undefined;
}
