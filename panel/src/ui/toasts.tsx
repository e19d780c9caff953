import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { inWords } from '../api.ts';
import { t } from '../language/texts.ts';

const manager = Toast.createToastManager();

/** Reports a completed action at the bottom of the screen and to screen readers. */
export function toast(title: string): void {
  manager.add({ title, timeout: 5000 });
}

/** Reports a removal, and offers to undo it. `undo` must restore the removed object, or throw. */
export function toastUndo(title: string, undo: () => unknown): void {
  const id = manager.add({
    title,
    timeout: 10_000,
    actionProps: {
      children: t('Undo'),
      onClick: () => {
        manager.close(id);
        void Promise.resolve().then(undo).catch(toastError);
      },
    },
  });
}

/** Reports an error until the user closes it. */
export function toastError(error: unknown): void {
  manager.add({ title: inWords(error), type: 'error', priority: 'high', timeout: 0 });
}

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={t('Notifications')}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((each) => (
    <Toast.Root key={each.id} toast={each} className={each.type === 'error' ? 'toast error' : 'toast'}>
      <Toast.Title render={<p />} />
      {each.actionProps && <Toast.Action className="undo" />}
      <Toast.Close className="close" aria-label={t('Dismiss')}>
        ×
      </Toast.Close>
    </Toast.Root>
  ));
}
