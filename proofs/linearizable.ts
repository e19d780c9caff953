/**
 * Whether the observations of concurrent callers could have happened sequentially (Herlihy and Wing): in some order of the calls, in
 * which a call precedes all that began after it had ended, a sequential model gives the same responses.
 */
export interface Step<State> {
  /** For the report. */
  what: string;
  /** Times of a logical clock: when the call was sent, and when its response arrived. */
  began: number;
  ended: number;
  /** The possible states of the model after the same response; none if it could not have given it. */
  after(state: State): State[];
}

/** The possible final states of the model; empty when no order explains the history. */
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
