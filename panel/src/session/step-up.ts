/**
 * Asks the user to confirm their identity when a call requires it. The dialog (`step-up-dialog.tsx`) registers itself
 * here, so that the API client does not depend on components.
 */

export interface Wanted {
  /** Whether only a second-factor code is accepted, and not the password. */
  secondFactor: boolean;
}

type Ask = (wanted: Wanted) => Promise<boolean>;

let ask: Ask | undefined;
let asking: Promise<boolean> | undefined;

export function onConfirmIdentity(handler: Ask | undefined): void {
  ask = handler;
}

/** Resolves to whether the user has confirmed. Concurrent calls share one dialog. */
export function confirmIdentity(wanted: Wanted): Promise<boolean> {
  asking ??= (ask?.(wanted) ?? Promise.resolve(false)).finally(() => {
    asking = undefined;
  });
  return asking;
}
