/** The result of one check. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'wrong';
  /** The finding in a sentence or a few words. */
  found: string;
  /** The remedy; missing if there is no problem. */
  mend?: string;
}

/** Creates the finding of a check that found no problem. */
export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

/** Creates the finding for a problem that does not prevent the server from running. */
export function warning(check: string, found: string, mend: string): Finding {
  return { check, state: 'warning', found, mend };
}

/** Creates the finding for a problem that prevents the server from running, or makes it unsafe. */
export function wrong(check: string, found: string, mend: string): Finding {
  return { check, state: 'wrong', found, mend };
}
