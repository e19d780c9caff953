import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';

/** A modal dialog. It traps the focus, closes on Escape and then restores the focus. */
export function Dialog({
  open,
  onClose,
  title,
  wide = false,
  closedOnlyBy,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  wide?: boolean;
  /** Label of the only button that closes the dialog. Without it, Escape and a click outside close the dialog too. */
  closedOnlyBy?: string;
  children: ReactNode;
}) {
  return (
    <BaseDialog.Root
      open={open}
      disablePointerDismissal={closedOnlyBy !== undefined}
      onOpenChange={(next, change) => {
        if (closedOnlyBy !== undefined && change.reason === 'escape-key') change.cancel();
        else if (!next) onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Popup className={wide ? 'dialog wide' : 'dialog'}>
          <header>
            <BaseDialog.Title>{title}</BaseDialog.Title>
            <BaseDialog.Close className="close" aria-label={closedOnlyBy ?? t('Close')} title={closedOnlyBy}>
              ×
            </BaseDialog.Close>
          </header>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Asks for confirmation before an irreversible action. The text names the consequences, the button the action. */
export function Confirm({
  open,
  onClose,
  onConfirm,
  title,
  children,
  action,
  busy = false,
  danger = true,
}: {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  children: ReactNode;
  action: string;
  busy?: boolean;
  danger?: boolean;
}) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <header>
            <AlertDialog.Title>{title}</AlertDialog.Title>
          </header>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          <footer>
            <AlertDialog.Close className="button plain">{t('Cancel')}</AlertDialog.Close>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
