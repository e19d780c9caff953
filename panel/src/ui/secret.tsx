import { useState } from 'react';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { toastError } from './toasts.tsx';

/** Shows a secret that the server returns only once, with a copy button. */
export function SecretDialog({
  title,
  secret,
  note,
  onClose,
}: {
  title: string;
  secret: string | undefined;
  note: string;
  onClose: () => void;
}) {
  return (
    <Dialog open={secret !== undefined} onClose={onClose} title={title}>
      <p>{t('{note} It is shown only now.', { note })}</p>
      {secret !== undefined && <Copyable text={secret} />}
      <footer>
        <Button kind="primary" onClick={onClose}>
          {t('I have stored it')}
        </Button>
      </footer>
    </Dialog>
  );
}

/** A text with a copy button. */
export function Copyable({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="copyable">
      <code>{text}</code>
      <Button
        onClick={() => {
          navigator.clipboard.writeText(text).then(() => setCopied(true), toastError);
        }}
      >
        {copied ? t('Copied') : t('Copy')}
      </Button>
      <span className="unseen" role="status">
        {copied ? t('Copied') : ''}
      </span>
    </div>
  );
}
