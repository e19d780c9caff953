import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** A dialog over the screen: it traps the focus, closes on Escape, and returns the focus. */
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
  /** The label of the closing button, if neither Escape nor a click outside closes the dialog because input would be lost. */
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
            <BaseDialog.Close className="close" aria-label={closedOnlyBy ?? 'Close'} title={closedOnlyBy}>
              ×
            </BaseDialog.Close>
          </header>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** A confirmation before an irreversible action. It names the consequences, and the button names the action. */
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
            <AlertDialog.Close className="button plain">Cancel</AlertDialog.Close>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
