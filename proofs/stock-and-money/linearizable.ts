/**
 * Checks that the responses of concurrent calls are linearizable (Herlihy and Wing): a sequential model must give the
 * same responses in some order of the calls, in which each call precedes all calls that began after it had ended.
 */

export interface Step<State> {
  /** Describes the call in the report. */
  what: string;
  /** Logical times: when the call was sent, and when its response arrived. */
  began: number;
  ended: number;
  /**
   * Returns the model's possible states after this response; none if the model could not have given the response in
   * `state`.
   */
  after(state: State): State[];
}

/** Returns the model's possible final states; an empty list if no order of the calls explains the responses. */
export function explain<State>(steps: Step<State>[], start: State): State[] {
  const seen = new Set<string>();
  const ends = new Map<string, State>();
  const visit = (done: number, state: State): void => {
    const key = `${done} ${JSON.stringify(state)}`;
    if (seen.has(key)) return;
    seen.add(key);
    if (done === 2 ** steps.length - 1) {
      ends.set(key, state);
      return;
    }
    const left = steps.map((step, at) => ({ step, bit: 2 ** at })).filter(({ bit }) => (done & bit) === 0);
    const firstEnd = Math.min(...left.map(({ step }) => step.ended));
    for (const { step, bit } of left) {
      if (step.began > firstEnd) continue;
      for (const next of step.after(state)) visit(done + bit, next);
    }
  };
  visit(0, start);
  return [...ends.values()];
}
