/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'wrong';
  /** The finding, in a sentence or a few words. */
  found: string;
  /** The fix; missing if there is no problem. */
  mend?: string;
}

/** No problem. */
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
