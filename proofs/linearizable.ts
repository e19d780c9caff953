/**
 * Whether what concurrent callers saw could have happened sequentially (Herlihy and Wing): some order of the calls, in which a
 * call comes before all that began after it had ended, leads a sequential model through the same answers.
 */
export interface Step<State> {
  /** For the report. */
  what: string;
  /** Times of a logical clock: when the call was sent, and when its answer arrived. */
  began: number;
  ended: number;
  /** The states in which the model may be when it has given the same answer; none when it could not have given it. */
  after(state: State): State[];
}

/** The states that the model may be in at the end; empty when no order explains the history. */
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
