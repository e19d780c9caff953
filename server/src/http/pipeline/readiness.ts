/** Whether the process accepts requests. */
export interface Readiness {
  /** Set while the process drains, so that it gets no new requests. */
  draining: boolean;
}
