/**
 * Asks the user to confirm their identity when a call needs that. The dialog (`step-up-dialog.tsx`)
 * registers itself here, so that the client of the API does not depend on components.
 */
export interface Wanted {
  /** Whether only a code of the second factor is accepted, not the password. */
  secondFactor: boolean;
}

type Ask = (wanted: Wanted) => Promise<boolean>;

let ask: Ask | undefined;
let asking: Promise<boolean> | undefined;

export function onConfirmIdentity(handler: Ask | undefined): void {
  ask = handler;
}

/** Resolves to whether the person confirmed. Concurrent calls share one question. */
export function confirmIdentity(wanted: Wanted): Promise<boolean> {
  asking ??= (ask?.(wanted) ?? Promise.resolve(false)).finally(() => {
    asking = undefined;
  });
  return asking;
}
