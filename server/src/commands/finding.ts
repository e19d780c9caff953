/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'wrong';
  /** The finding in a sentence or a few words. */
  found: string;
  /** The remedy; missing if there is no problem. */
  mend?: string;
}

/** A finding without a problem. */
export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

/** A finding with which the server still runs. */
export function warning(check: string, found: string, mend: string): Finding {
  return { check, state: 'warning', found, mend };
}

/** A finding with which the server does not run, or not safely. */
export function wrong(check: string, found: string, mend: string): Finding {
  return { check, state: 'wrong', found, mend };
}
