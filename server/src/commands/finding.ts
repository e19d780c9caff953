/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'wrong';
  /** What was found, in a sentence or a few words. */
  found: string;
  /** What to do about it; absent if all is well. */
  mend?: string;
}

/** All is well with this. */
export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

/** The server runs nevertheless. */
export function warning(check: string, found: string, mend: string): Finding {
  return { check, state: 'warning', found, mend };
}

/** The server does not run, or not safely. */
export function wrong(check: string, found: string, mend: string): Finding {
  return { check, state: 'wrong', found, mend };
}
